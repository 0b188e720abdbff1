# Read by the hooks beside it. Every fork costs a millisecond of somebody's commit: builtins wherever they will do.

# Absolute paths, written by cc-init.
node=''
entry=''

[ "${CC_CONTEXT-}" != 0 ] && [ -x "$node" ] && [ -r "$entry" ] || exit 0

# The repository's common directory, which cc-init put these hooks into.
common=${0%/cc-context/hooks/*}

# May preload anything, or open a debugger's port.
unset NODE_OPTIONS

# The names that Claude Code's project directories can have for the paths on stdin, one a line, as glob patterns without
# their final *. A project directory is named for its path with - for every UTF-16 unit outside A-Za-z0-9, which a shell
# cannot count, so * stands for a run of other bytes (and the letter before it: an accent may be stored apart). Above 200
# units Claude Code keeps the first 200; there are never more units than bytes.
project_patterns() {
  LC_ALL=C sed '
    /^.\{201\}/ {
      s/.\{0,1\}[^ -~].*//
      s/^\(.\{200\}\).*/\1/
    }
    s,[ -/:-@[-`{-~],-,g
    s/[A-Za-z0-9-]\{0,1\}[^A-Za-z0-9-]\{1,\}/*/g
  '
}

# The same for one path of ordinary characters, without a fork. Sets pattern; false for any other path.
plain_pattern() {
  rest=$1
  pattern=
  [ ${#rest} -le 200 ] || return 1
  while [ -n "$rest" ]; do
    tail=${rest#?}
    character=${rest%"$tail"}
    case $character in
      [ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789]) pattern=$pattern$character ;;
      [-/._\ ]) pattern=$pattern- ;;
      *) return 1 ;;
    esac
    rest=$tail
  done
}

# False only when it is certain that no Claude Code session belongs to a work tree of this repository or to a directory in
# one. Leaves the working directory at the top of this work tree.
session_about() {
  [ -z "${CLAUDE_CODE_SESSION_ID-}${CLAUDECODE-}" ] || return 0
  config=${CLAUDE_CONFIG_DIR:-${HOME:+$HOME/.claude}}
  [ -n "$config" ] && [ -d "$config/projects" ] || return 1

  cd -P . 2>/dev/null || return 0
  tops=$PWD
  case $common in
    */.git) add_top "${common%/.git}" ;;
  esac
  for link in "$common"/worktrees/*/gitdir; do
    [ -r "$link" ] && IFS= read -r path <"$link" || continue
    case $path in
      /* | ?:*) add_top "${path%/.git}" ;;
      *) add_top "${link%/*}/${path%/.git}" ;; # worktree.useRelativePaths
    esac
  done

  while IFS= read -r top; do
    plain_pattern "$top" || pattern=$(printf '%s\n' "$top" | project_patterns)
    for transcript in "$config"/projects/$pattern*/*.jsonl; do
      [ ! -e "$transcript" ] || return 0
    done
  done <<END
$tops
END
  return 1
}

# Adds the real path of a directory to tops, one a line. (cd -P tells it without a fork.)
add_top() {
  here=$PWD
  cd -P "$1" 2>/dev/null || return 0
  [ "$PWD" = "${tops%%
*}" ] || tops="$tops
$PWD"
  cd "$here"
}

# True while a rebase makes commits by itself, false when a person commits at one of its stops: Git sets GIT_REFLOG_ACTION
# for the commits that it starts a process for, and GIT_CHERRY_PICK_HELP for those that it makes itself (2.39).
# The same rule as isReplaying in src/git/state.ts.
replaying() {
  case ${GIT_REFLOG_ACTION-} in
    rebase* | pull*) ;;
    *) [ -n "${GIT_CHERRY_PICK_HELP+set}" ] || return 1 ;;
  esac
  git_dir=$(git rev-parse --git-dir 2>/dev/null) &&
    { [ -d "$git_dir/rebase-merge" ] || [ -d "$git_dir/rebase-apply" ]; }
}

# Asks Git a question that node will have, and writes the answer as takeAnswers in src/git/git.ts reads it.
ask_git() {
  printf '%s\0' "$*"
  git "$@"
  printf '\0exit %d\0' $?
}

# Goes on when the commit is done. A child that kept the hook's stdout open would hang whoever reads it; HUP comes when
# the terminal is closed right after the commit.
in_background() {
  trap '' HUP
  "$node" "$entry" "$@" </dev/null >/dev/null 2>&1 &
}
