/** A plan as text: what is created (+), changed (~) and deleted (-), and what stays although it differs. */
import { canonical } from './item.ts'
import { KINDS } from './kinds/index.ts'
import type { Difference, Plan, Step } from './merge.ts'

const SHOWN_CHARS = 200

export function planLines(plan: Plan): string[] {
  const lines = [
    ...plan.steps.flatMap(stepLines),
    ...plan.drift.flatMap(({ item, differences }) => [
      `! ${titleOf(item)}: changed in the console, and kept`,
      ...differences.map(
        ({ member, file, live }) => `    ${member}: ${shown(file)} in the file, now ${shown(live)}`,
      ),
    ]),
    ...plan.left.map((item) => `! ${titleOf(item)}: no longer in a file; --prune deletes it`),
    ...plan.conflicts.flatMap(({ item, differences }) => [
      `x ${titleOf(item)}: changed in ${item.source} and in the console`,
      ...differences.map(
        ({ member, file, live }) => `    ${member}: ${shown(file)} in the file, now ${shown(live)}`,
      ),
    ]),
  ]
  return lines.length === 0 ? ['The organization is as the files say'] : lines
}

const titleOf = ({ kind, name }: { kind: keyof typeof KINDS; name: string }): string =>
  `${KINDS[kind].noun} "${name}"`

function stepLines({ action, file, live, changes }: Step): string[] {
  const item = file ?? live
  if (!item) return []
  switch (action) {
    case 'create':
      return [`+ ${titleOf(item)}`]
    case 'delete':
      return [`- ${titleOf(item)}`]
    case 'adopt':
      return [`= ${titleOf(item)}: as in the file, and managed by it from now on`]
    case 'change':
      return [`~ ${titleOf(item)}`, ...changes.map(changeLine)]
  }
}

const changeLine = ({ member, file, live }: Difference): string =>
  `    ${member}: ${shown(live)} -> ${shown(file)}`

function shown(value: unknown): string {
  const text = canonical(value)
  return text.length <= SHOWN_CHARS
    ? text
    : `${text.slice(0, SHOWN_CHARS)}… (${text.length} characters)`
}
