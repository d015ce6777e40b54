# Read by git's test library in place of one of its own lines (source.ts).
#
# test_hook of git's tests refuses to write a hook that is there already. Here coord's is. So it
# steps aside for as long as the test's own hook stands, and coord's lines go into that one as
# `coord install` puts them into a hook that it finds: both run, and git's tests of hooks keep their
# meaning.

XDG_CACHE_HOME=$SUITE_CACHE
export XDG_CACHE_HOME

test_hook () {
	if test -z "$SUITE_INSTALLED"
	then
		git_test_hook "$@"
		return
	fi
	suite_in= suite_keeps= suite_takes=
	for suite_word
	do
		case "$suite_takes$suite_word" in
		-C) suite_takes=C ;;
		C*) suite_in=$suite_word suite_takes= ;;
		--setup | --clobber | --disable | --remove) suite_keeps=$suite_word ;;
		*) suite_event=$suite_word ;;
		esac
	done
	suite_hook=$(git -C "$suite_in" rev-parse --absolute-git-dir)/hooks/$suite_event
	if ! test -f "$SUITE_INSTALLED/hooks/$suite_event"
	then
		git_test_hook "$@"
		return
	fi
	! cmp -s "$suite_hook" "$SUITE_INSTALLED/hooks/$suite_event" || rm "$suite_hook"
	case "$suite_keeps" in
	'') test_when_finished "cp \"$SUITE_INSTALLED/hooks/$suite_event\" \"$suite_hook\" || :" ;;
	esac
	git_test_hook "$@" || return
	case "$suite_keeps" in
	--remove) cp "$SUITE_INSTALLED/hooks/$suite_event" "$suite_hook" ;;
	--disable) ;;
	*)
		if test -f "$SUITE_LINES/$suite_event" && sed 1q "$suite_hook" | grep -q '^#!.*/sh$'
		then
			suite_text=$(sed 1d "$suite_hook" && echo .) &&
			{
				sed 1q "$suite_hook" &&
				cat "$SUITE_LINES/$suite_event" &&
				printf %s "${suite_text%.}"
			} >"$suite_hook.suite" &&
			cat "$suite_hook.suite" >"$suite_hook" &&
			rm "$suite_hook.suite"
		fi ;;
	esac
}
