import type { CustomRuleChange } from '../../../../src/modules/orders/rules/schema.ts'
import { numberText, Table } from '../../components/index.ts'
import type { Changed } from './draft.ts'

const DIGITS = { digits: 6 }

type ChangesProps = { label: string; changes: readonly Changed[]; labels: [string, string] }

/** The differences between two sets of rules. @param labels of the two value columns */
export function Changes({ label, changes, labels: [fromLabel, toLabel] }: ChangesProps) {
  return (
    <Table
      label={label}
      rows={changes}
      keyOf={({ field }) => field}
      columns={[
        { label: 'Section', cell: ({ section }) => section },
        { label: 'Parameter', cell: ({ label: name }) => name },
        { label: fromLabel, isNumber: true, cell: ({ from }) => numberText(from, DIGITS) },
        {
          label: toLabel,
          isNumber: true,
          cell: ({ to }) => <strong>{numberText(to, DIGITS)}</strong>,
        },
      ]}
    />
  )
}

/** The custom rules that differ between two sets of rules. */
export function CustomChanges({ changes }: { changes: readonly CustomRuleChange[] }) {
  if (changes.length === 0) return null
  return (
    <Table
      label="Changed custom rules"
      rows={changes}
      keyOf={({ name }) => name}
      columns={[
        { label: 'Custom rule', cell: ({ name }) => name },
        { label: 'Change', cell: ({ change }) => change },
      ]}
    />
  )
}
