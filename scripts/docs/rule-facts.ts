/** The tables of docs/rules.md: every fact that custom rules can read. */
import { FACTS, ITEM_FACTS, RULE_TARGETS } from '../../src/modules/custom-rules/index.ts'
import { code, renderTable } from './table.ts'

type Facts = Readonly<Record<string, readonly [type: string, about: string]>>

const TITLES = {
  order: 'order facts',
  check: 'check facts',
  cashier_action: 'cashier facts',
} as const

/** A table for each of the things that rules apply to, by its name in the document. */
export const ruleFactTables = (): Record<string, string> => ({
  ...Object.fromEntries(
    RULE_TARGETS.map((target) => [
      TITLES[target],
      tableOf(
        Object.entries<Facts>(FACTS[target]).flatMap(([group, facts]) =>
          rowsOf(facts, `${group}.`),
        ),
      ),
    ]),
  ),
  'item facts': tableOf(rowsOf(ITEM_FACTS, 'item.')),
})

const rowsOf = (facts: Facts, prefix: string): string[][] =>
  Object.entries(facts).map(([name, [type, about]]) => [
    code(`${prefix}${name}`),
    code(type),
    about,
  ])

const tableOf = (rows: string[][]): string => renderTable(['Fact', 'Type', 'Meaning'], rows)
