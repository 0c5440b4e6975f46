"""`course.py update`: the newer course from where the clone came from, with the learner's work kept in it."""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from course import copies, git
from course.changelog import news
from course.committed import committed_names
from course.merging import merge
from course.messages import CourseError, one_line
from course.notebooks import is_of_course, parse, short, store, write

UNCHANGED = "Nothing was changed."
CHANGELOG = "CHANGELOG.md"


class Source(NamedTuple):
    """Where the newer course comes from."""

    remote: str  # origin
    branch: str  # refs/heads/main, as the remote calls it
    address: str

    @property
    def tracking(self) -> str:
        """() -> the name under which this clone keeps the remote's branch."""
        return f"refs/remotes/{self.remote}/{self.branch.removeprefix('refs/heads/')}"


class Move(NamedTuple):
    """From which commit to which, and what git would change on the way."""

    base: str  # the last commit of the course's that the learner's notebooks come from
    target: str
    incoming: set[str]  # files that differ between the last commit here and the target
    rewritten: bool


class Lesson(NamedTuple):
    """A lesson that the learner changed and the update touches."""

    name: str  # its file now
    place: str | None  # its file in the newer course, None where there is none
    text: str | None  # what is to stand there, None where that is the course's own
    kept: Counter[str]


def update(root: Path, words: list[str]) -> int:
    """The course's folder, no words -> the exit status. Raises CourseError before anything is changed."""
    if words:
        raise CourseError(f"update takes nothing after it, not {words[0]!r}.")
    git.need(root, "update")
    refuse_half_done(root)
    source = where_from(root)
    before = git.maybe(root, "rev-parse", "--verify", "--quiet", source.tracking)
    fetch(root, source)
    move = planned(root, source, before)
    if move is None:
        print(f"Nothing new: {source.address} has no later version than this one.")
        print("(If that address is a fork of yours, bring the fork up to date first, then update again.)")
        return 0
    changed = set(git.names(root, "diff", "--name-only", "--no-renames", "-z", "HEAD"))
    refuse_what_is_in_the_way(root, move, changed)
    lessons = merged_lessons(root, move)
    folder = copies.everything(root, changed)
    # First: whatever happens from here on, this is where the answers are.
    print(f"A copy of all notebooks as they were: {folder.relative_to(root).as_posix()}", flush=True)
    start = git.text(root, "rev-parse", "HEAD")
    set_aside = make_way(root, move, lessons)
    carry_out(root, move, lessons, changed)
    put_back(root, lessons, folder)
    tell(root, start, move, lessons)
    for name, copy in set_aside.items():
        print(f"Your notebooks/{name} is notebooks/{copy.name} now.")
    print("If a lesson is open in JupyterLab: File > Reload Notebook from Disk.")
    return 0


# --- where from, and from what to what ----------------------------------------------------------------------


def refuse_half_done(root: Path) -> None:
    """Raises CourseError while a merge, a rebase or the like waits to be ended."""
    folder = root / git.text(root, "rev-parse", "--git-dir")
    for name, verb in {"MERGE_HEAD": "merge", "rebase-merge": "rebase", "rebase-apply": "rebase"}.items():
        if (folder / name).exists():
            raise CourseError(
                f"git is in the middle of a {verb}. End it (git {verb} --abort), then update again. "
                + UNCHANGED
            )
    if git.names(root, "ls-files", "--unmerged", "-z"):
        raise CourseError(
            "git has files with conflicts. git status names them: solve them, then update again. " + UNCHANGED
        )


def where_from(root: Path) -> Source:
    """The course's folder -> what its branch follows. A remote called upstream is the course of a fork."""
    here = git.maybe(root, "symbolic-ref", "--quiet", "--short", "HEAD")
    if here is None:
        raise CourseError(
            f"this clone stands on no branch. Go to one (git switch main), then update again. {UNCHANGED}"
        )
    remotes = git.text(root, "remote").splitlines()
    followed = git.maybe(root, "config", f"branch.{here}.remote")
    if not remotes:
        raise CourseError(
            "this clone has no remote that a newer course could come from. Tell it where the course is "
            f"(git remote add origin ADDRESS), then update again. {UNCHANGED}"
        )
    if "upstream" in remotes:
        remote = "upstream"
    else:
        remote = followed if followed in remotes else "origin" if "origin" in remotes else remotes[0]
    branch = git.maybe(root, "config", f"branch.{here}.merge") if remote == followed else None
    address = re.sub(r"//[^/@]*@", "//", git.text(root, "remote", "get-url", remote))  # no passwords
    return Source(remote, branch or main_branch(root, remote) or f"refs/heads/{here}", address)


def main_branch(root: Path, remote: str) -> str | None:
    """The course's folder, a remote -> its main branch, as the clone noted it, or None."""
    found = git.maybe(root, "symbolic-ref", "--quiet", f"refs/remotes/{remote}/HEAD")
    return found.replace(f"refs/remotes/{remote}/", "refs/heads/") if found else None


def fetch(root: Path, source: Source) -> None:
    """Fetches the branch. Raises CourseError where that fails."""
    try:
        words = ("--quiet", "--no-tags", source.remote, f"+{source.branch}:{source.tracking}")
        git.git(root, "fetch", *words)
    except git.GitError as error:
        raise CourseError(
            f"{source.address} does not give the newer course ({error}). Is there a network? {UNCHANGED}"
        ) from error


def planned(root: Path, source: Source, before: str | None) -> Move | None:
    """The course's folder, where from, the remote's commit before the fetch -> the move, None if none.

    Commits of the learner's own are kept where they change notebooks and nothing else: the newer course is
    then merged into them. A history that was rewritten is followed where no such commit would be lost.
    """
    new = git.text(root, "rev-parse", source.tracking)
    if git.is_ancestor(root, new, "HEAD"):
        return None
    rewritten = before is not None and not git.is_ancestor(root, before, new)
    known = [f"^{commit}" for commit in (new, before) if commit]
    own = git.text(root, "rev-list", "HEAD", *known).split()
    base, target = "HEAD", new
    if own:
        base = git.maybe(root, "merge-base", "HEAD", new) or ""
        refuse_own_commits(root, len(own), base, rewritten)
        target = merge_commit(root, new)
    names = git.names(root, "diff", "--name-only", "--no-renames", "-z", "HEAD", target)
    return Move(base, target, set(names), rewritten)


def refuse_own_commits(root: Path, how_many: int, base: str, rewritten: bool) -> None:
    """Raises CourseError where commits of the learner's own cannot be joined with the newer course."""
    found = f"this clone has {how_many} commit{'s' * (how_many > 1)} of its own"
    if rewritten or not base:
        raise CourseError(
            f"{found}, and the course's history was rewritten, so that the two cannot be joined. Clone the "
            f"course again and copy your notebooks over. {UNCHANGED}"
        )
    names = git.names(root, "diff", "--name-only", "--no-renames", "-z", base, "HEAD")
    others = [name for name in names if not name.startswith("notebooks/")]
    if others:
        raise CourseError(
            f"{found}, and they change {others[0]}. update joins commits that change notebooks only: "
            f"use git pull for these. {UNCHANGED}"
        )


def merge_commit(root: Path, new: str) -> str:
    """The course's folder, the newer commit -> a commit with its files, after it and after the learner's."""
    words = ("-p", "HEAD", "-p", new, "-m", "The newer course (course.py update)")
    return git.text(root, "commit-tree", f"{new}^{{tree}}", *words)


# --- the notebooks ------------------------------------------------------------------------------------------


def is_notebook(name: str) -> bool:
    """A file's name -> whether it is a notebook among the lessons."""
    return name.startswith("notebooks/") and name.endswith(".ipynb")


def refuse_what_is_in_the_way(root: Path, move: Move, changed: set[str]) -> None:
    """Raises CourseError where files other than notebooks hold changes that the update would replace."""
    in_head = set(git.names(root, "ls-tree", "-r", "--name-only", "-z", "HEAD"))
    for name in sorted(move.incoming):
        if is_notebook(name):
            continue
        if name in changed & in_head:
            raise CourseError(
                f"you changed {name}, and the newer course changes it too. Save your version elsewhere, put "
                f"the file back (git checkout HEAD -- {name}), then update again. {UNCHANGED}"
            )
        if name not in in_head and (root / name).exists():
            raise CourseError(
                f"the newer course has a file {name}, and one of yours stands there. Move yours away, then "
                f"update again. {UNCHANGED}"
            )


def merged_lessons(root: Path, move: Move) -> list[Lesson]:
    """The course's folder, the move -> the lessons with work of the learner's, merged. Nothing is written."""
    before, after = (committed_names(root, commit) for commit in (move.base, move.target))
    found = []
    for name in sorted(before):
        path = root / "notebooks" / name
        base = git.file_at(root, move.base, f"notebooks/{name}") or ""
        touched = f"notebooks/{name}" in move.incoming and path.exists()
        if touched and path.read_bytes() != base.encode("utf-8"):
            same_number = [other for other in sorted(after - before) if short(other) == short(name)]
            place = name if name in after else next(iter(same_number), None)
            found.append(merged_lesson(root, move, name, place, base))
    return found


def merged_lesson(root: Path, move: Move, name: str, place: str | None, base: str) -> Lesson:
    """One lesson's file now and then, its text as it was -> the lesson merged."""
    if place is None:
        return Lesson(name, None, None, Counter())
    new = git.file_at(root, move.target, f"notebooks/{place}") or ""
    mine = (root / "notebooks" / name).read_text(encoding="utf-8", errors="replace")
    notebooks = [parse(text) for text in (base, mine, new)]
    was, yours, newer = notebooks
    if was is None or newer is None or yours is None:
        raise CourseError(
            f"notebooks/{name} is no notebook any more (marks of a conflict?). "
            f"python course.py reset {short(name)} saves it and gives the lesson back; then update again. "
            + UNCHANGED
        )
    merged, kept = merge(was, yours, newer)
    text = None if merged["cells"] == newer["cells"] else write(merged)
    return Lesson(name, place, text, kept)


def make_way(root: Path, move: Move, lessons: list[Lesson]) -> dict[str, Path]:
    """The move, the lessons merged -> file name, copy of each notebook that the course has no place for.

    That is a lesson that is gone and was changed, and the learner's own notebook where a new lesson comes.
    """
    in_head = set(git.names(root, "ls-tree", "--name-only", "-z", "HEAD", "notebooks/"))
    homeless = [lesson.name for lesson in lessons if lesson.place is None]
    gone = {name: copies.beside(root / "notebooks" / name) for name in homeless}
    for name in sorted(move.incoming - in_head):
        path = root / name
        if is_notebook(name) and path.exists():
            gone[path.name] = copies.beside(path)
            path.unlink()
    return gone


def carry_out(root: Path, move: Move, lessons: list[Lesson], changed: set[str]) -> None:
    """Takes the clone to the target. Where that fails, the notebooks are as they were."""
    in_head = set(git.names(root, "ls-tree", "--name-only", "-z", "HEAD", "notebooks/"))
    dirty = [name for name in sorted(changed & move.incoming & in_head) if is_notebook(name)]
    held = {name: (root / name).read_bytes() for name in dirty if (root / name).exists()}
    try:
        git.git(root, "reset", "--quiet", "HEAD", "--", "notebooks/")
        if dirty:
            git.git(root, "checkout", "--quiet", "HEAD", "--", *dirty)
        git.git(root, "reset", "--quiet", "--keep", move.target)
    except BaseException:
        for name, content in held.items():
            (root / name).write_bytes(content)
        raise


def put_back(root: Path, lessons: list[Lesson], folder: Path) -> None:
    """The course's folder, the lessons merged, the copy -> the learner's work is in the newer lessons.

    Raises CourseError naming the copy and each lesson into which it could not be written.
    """
    missing, why = [], ""
    for lesson in lessons:
        if lesson.place is not None and lesson.text is not None:
            try:
                store(root / "notebooks" / lesson.place, lesson.text)
            except OSError as error:
                missing.append(lesson.place)
                why = one_line(error)
    if missing:
        place = (folder / "notebooks").relative_to(root).as_posix()
        raise CourseError(
            f"the newer course is here, and your answers could not be written into {', '.join(missing)} "
            f"({why}). You have them in {place}: copy them from there."
        )


# --- what is said -------------------------------------------------------------------------------------------


def tell(root: Path, start: str, move: Move, lessons: list[Lesson]) -> None:
    """Prints what is new, and what of the learner's was kept."""
    if move.rewritten:
        print("The course's history was rewritten; this clone follows it.")
    entries = news(*(git.file_at(root, commit, CHANGELOG) or "" for commit in (start, move.target)))
    paths = [Path(name) for name in sorted(move.incoming) if is_notebook(name)]
    new = [path.stem for path in paths if is_of_course(path.name)]
    print(f"The newer course is here. Lessons that changed: {', '.join(new) or 'none'}.")
    for entry in entries:
        print(f"\n{entry}")
    print()
    for lesson in lessons:
        what = ", ".join(f"{words}: {number}" for words, number in lesson.kept.items() if number)
        if what:
            renamed = f" (it was {lesson.name})" if lesson.place != lesson.name else ""
            print(f"{lesson.place}{renamed} keeps your work: {what}.")
    if "requirements.lock" in move.incoming:
        print("The list of packages changed: the next python course.py lab installs what is new.")
