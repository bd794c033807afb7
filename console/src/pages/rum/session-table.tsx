/** Sessions as rows. */
import type { RumSession } from '../../../../src/modules/rum/reading/schema.ts'
import { Badge, durationText, numberText, Table } from '../../components/index.ts'
import styles from './rum.module.css'
import { rangeQuery } from './scope.tsx'
import { Age, SessionLink } from './words.tsx'

export function SessionTable({
  sessions,
  range,
}: {
  sessions: readonly RumSession[]
  range: string
}) {
  return (
    <Table
      label="Sessions"
      rows={sessions}
      keyOf={({ session_id }) => session_id}
      columns={[
        {
          label: 'Session',
          cell: ({ session_id }) => (
            <span class={styles['session']}>
              <SessionLink id={session_id} query={rangeQuery(range)} />
            </span>
          ),
        },
        { label: 'Last seen', cell: ({ last_seen }) => <Age at={last_seen} /> },
        { label: 'Length', isNumber: true, cell: (session) => durationText(lengthOf(session)) },
        { label: 'Views', isNumber: true, cell: ({ views }) => numberText(views) },
        { label: 'Actions', isNumber: true, cell: ({ actions }) => numberText(actions) },
        {
          label: 'Errors',
          isNumber: true,
          cell: ({ errors }) => (errors === 0 ? 0 : <Badge tone="bad">{numberText(errors)}</Badge>),
        },
        { label: 'Device', cell: ({ device_class }) => device_class ?? '–' },
        {
          label: 'First and last page',
          isWide: true,
          cell: ({ first_page, last_page }) =>
            first_page === last_page ? first_page || '–' : `${first_page} → ${last_page}`,
        },
      ]}
    />
  )
}

export const lengthOf = ({ first_seen, last_seen }: RumSession): number =>
  Date.parse(last_seen) - Date.parse(first_seen)
