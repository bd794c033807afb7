/** Groups of errors, the most frequent first, with how often they occurred over time. */
import type { ErrorGroupRecord, ErrorTrends } from '../../../../../src/modules/edge/logs/schema.ts'
import { useRead } from '../../../api/read.ts'
import {
  Button,
  Empty,
  numberText,
  Page,
  Section,
  Shown,
  Sparkline,
  Table,
  Toolbar,
} from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { Ago } from '../ago.tsx'
import { useLogScope } from '../explorer/scope.ts'
import { RangeField, useDates } from '../range-field.tsx'
import { LogTabs } from '../tabs.tsx'
import styles from './errors.module.css'

const DEFAULTS = { range: '24h', page: '1' }
const LISTED = 50

export default function GroupsPage() {
  const [{ range, page }, set] = useFilters(DEFAULTS)
  const dates = useDates(range)
  const number = Math.max(1, Math.floor(Number(page)) || 1)
  const asked = { ...useLogScope(), ...dates }
  const read = useRead<ErrorGroupRecord[]>(
    '/console/api/edge/errors',
    { ...asked, page: number, limit: LISTED },
    { keep: true },
  )
  return (
    <Page title="Error groups" lead="Logs of level error and fatal that tell of the same fault">
      <LogTabs />
      <Toolbar label="Error groups">
        <RangeField range={range} onChange={(next) => set({ range: next, page: '1' })} />
      </Toolbar>
      <Section title="Groups" hideTitle>
        <Shown read={read} what="error groups">
          {(groups) =>
            groups.length === 0 ? (
              <Empty title={number > 1 ? 'No more groups' : 'No errors in this time'}>
                {number > 1 ? (
                  <Button onClick={() => set({ page: '1' })}>To the first page</Button>
                ) : (
                  <p>
                    Logs of level error and fatal show here. Ask for a longer time to see older
                    ones.
                  </p>
                )}
              </Empty>
            ) : (
              <>
                <GroupTable groups={groups} range={range} asked={asked} />
                <nav class={styles['pages']} aria-label="Pages">
                  <Button disabled={number === 1} onClick={() => set({ page: String(number - 1) })}>
                    ← More frequent
                  </Button>
                  <span class="muted">Page {numberText(number)}</span>
                  <Button
                    disabled={groups.length < LISTED}
                    onClick={() => set({ page: String(number + 1) })}
                  >
                    Less frequent →
                  </Button>
                </nav>
              </>
            )
          }
        </Shown>
      </Section>
    </Page>
  )
}

type GroupTableProps = {
  groups: readonly ErrorGroupRecord[]
  range: string
  asked: Readonly<Record<string, string>>
}

function GroupTable({ groups, range, asked }: GroupTableProps) {
  const fingerprints = groups.map(({ fingerprint }) => fingerprint).join(',')
  const trends = useRead<ErrorTrends>('/console/api/edge/errors/trends', { ...asked, fingerprints })
  const countsOf = new Map(
    trends.data?.trends.map(({ fingerprint, counts }) => [fingerprint, counts]),
  )
  return (
    <Table
      label="Error groups"
      rows={groups}
      keyOf={({ fingerprint }) => fingerprint}
      columns={[
        {
          label: 'Error',
          isWide: true,
          cell: ({ fingerprint, error_type, message }) => (
            <PageLink
              to={`/logs/errors/${encodeURIComponent(fingerprint)}`}
              query={{ range }}
              class={styles['group']}
            >
              <strong>{error_type ?? 'Without a type'}</strong>
              <span class={styles['message']}>{message.slice(0, 300) || '(empty message)'}</span>
            </PageLink>
          ),
        },
        {
          label: 'Trend',
          cell: ({ fingerprint, count }) => {
            const counts = countsOf.get(fingerprint)
            return counts ? (
              <Sparkline label={`${numberText(count)} over the time`} values={counts} tone="bad" />
            ) : (
              <span class="muted">–</span>
            )
          },
        },
        { label: 'Errors', isNumber: true, cell: ({ count }) => numberText(count) },
        {
          label: 'Devices',
          isNumber: true,
          cell: ({ affected_devices }) => numberText(affected_devices),
        },
        { label: 'Last seen', cell: ({ last_seen }) => <Ago at={last_seen} /> },
        { label: 'First seen in this time', cell: ({ first_seen }) => <Ago at={first_seen} /> },
        {
          label: 'Environments',
          cell: ({ environments }) => environments.join(', ') || <span class="muted">–</span>,
        },
      ]}
    />
  )
}
