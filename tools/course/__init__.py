"""What `python course.py` does. It runs before .venv exists, with the standard library alone.

main           words -> a verb and its options; the help
running        starts JupyterLab, pytest or the runner of notebooks
environment    makes .venv, or makes it good again
torch_builds   which build of torch pip can have here
installing     pip or uv: what it is asked, how far it is, what went wrong
fast           uv, where it is found, told of pip's sources
programs       the environment in which programs run, and one that is watched while it runs
guard          one set-up at a time
lists          which packages the lessons need, which the tests, at which versions
swap           keeps the .venv that works until the new one is complete
stamps         what .venv was made from, and whether that still holds
contents       which packages lie in .venv, and whether they are whole
data           whether the files in data/ are whole
places         where things stand
messages       errors of one line, and progress on the screen
Each imports only from those below it.
"""
