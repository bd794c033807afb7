/** The facts about lists, which all kinds of subjects have. */
import type { ListMatch } from '../risk/index.ts'

const NO_KINDS: readonly string[] = []

export const listFacts = (matches: readonly ListMatch[]) => ({
  allow: kindsOn('allow', matches),
  block: kindsOn('block', matches),
  watch: kindsOn('watch', matches),
})

const kindsOn = (list: ListMatch['list'], matches: readonly ListMatch[]): readonly string[] =>
  matches.length === 0
    ? NO_KINDS
    : matches.filter((match) => match.list === list).map(({ kind }) => kind)
