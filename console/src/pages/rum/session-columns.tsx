import type { RumSession } from '../../../../src/modules/rum/reading/schema.ts'
import { Badge, durationText, numberText, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { SessionLink } from './parts.tsx'
import styles from './rum.module.css'

export const sessionColumns = (range: string): readonly Column<RumSession>[] => [
  {
    label: 'Session',
    cell: ({ session_id }) => (
      <span class={styles['session']}>
        <SessionLink id={session_id} range={range} />
      </span>
    ),
  },
  { label: 'Last seen', cell: ({ last_seen }) => <Time at={last_seen} as="age" /> },
  { label: 'Duration', isNumber: true, cell: (session) => durationText(lengthOf(session)) },
  { label: 'Views', isNumber: true, cell: ({ views }) => views },
  { label: 'Actions', isNumber: true, cell: ({ actions }) => actions },
  {
    label: 'Errors',
    isNumber: true,
    cell: ({ errors }) => (errors === 0 ? 0 : <Badge tone="bad">{numberText(errors)}</Badge>),
  },
  { label: 'Device', cell: ({ device_class }) => device_class },
  {
    label: 'First and last page',
    isWide: true,
    cell: ({ first_page, last_page }) =>
      first_page === last_page ? first_page : `${first_page} → ${last_page}`,
  },
]

export const lengthOf = ({ first_seen, last_seen }: RumSession): number =>
  Date.parse(last_seen) - Date.parse(first_seen)
