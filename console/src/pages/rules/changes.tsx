/** What differs between two sets of rules, number by number. */
import { numberText, Table } from '../../components/index.ts'
import type { Changed } from './draft.ts'

const DIGITS = { digits: 6 }

/** @param labels of the two columns, such as "In force" and "Draft" */
export function Changes({
  label,
  changes,
  labels,
}: {
  label: string
  changes: readonly Changed[]
  labels: readonly [from: string, to: string]
}) {
  return (
    <Table
      label={label}
      rows={changes}
      keyOf={({ field }) => field}
      columns={[
        { label: 'Section', cell: ({ section }) => section },
        { label: 'Number', cell: ({ label: name }) => name },
        { label: labels[0], isNumber: true, cell: ({ from }) => numberText(from, DIGITS) },
        {
          label: labels[1],
          isNumber: true,
          cell: ({ to }) => <strong>{numberText(to, DIGITS)}</strong>,
        },
      ]}
    />
  )
}
