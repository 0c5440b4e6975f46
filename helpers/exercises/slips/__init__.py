"""The shared vocabulary of mistakes, by idea: what the exercises of more than one lesson use."""
