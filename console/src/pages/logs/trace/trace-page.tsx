/** All log entries of a trace on one time axis, across devices. */
import { useState } from 'preact/hooks'
import type { LogPage, LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'
import { mapRead } from '../../../api/lists.ts'
import { useRead } from '../../../api/read.ts'
import {
  Badge,
  Button,
  countText,
  durationText,
  ListSection,
  Page,
  Time,
} from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useScope } from '../../../shell/organization.ts'
import { DAY_MS } from '../../../time-units.ts'
import { EntryDialog, LEVEL_TONES } from '../explorer/entry-dialog.tsx'
import { LOGS_PATH } from '../queries.ts'
import { conditionOn } from '../query/query-text.ts'
import { isoOf } from '../time-range.ts'
import { type Placed, placesOf } from './offsets.ts'
import styles from './trace.module.css'

const ENTRIES_MAX = 1000

export default function TracePage() {
  const [{ trace_id, at }] = useFilters({ trace_id: '', at: '' })
  const scope = useScope()
  const dates = datesAround(at)
  const q = conditionOn('trace_id', trace_id)
  const query = { ...scope, ...dates, q, order: 'oldest', limit: ENTRIES_MAX }
  const read = useRead<LogPage>(LOGS_PATH, query)
  const [open, setOpen] = useState<LogRecord>()
  const total = read.data?.pagination.total ?? 0
  return (
    <Page title="Trace" lead={trace_id} up={{ to: '/logs', label: 'Logs' }}>
      <ListSection
        title="Entries"
        label="Entries of the trace"
        list={mapRead(read, ({ logs }) => rowsOf(logs))}
        what="entries"
        emptyTitle="No entries of this trace"
        toolbar={
          <p>
            {total > ENTRIES_MAX && `The first ${ENTRIES_MAX} of ${countText(total, 'entries')}. `}
            <PageLink to="/logs" query={{ q, ...linkDates(dates) }}>
              View in the explorer
            </PageLink>
          </p>
        }
        keyOf={({ log }) => log.id}
        columns={[
          { label: 'Time', cell: ({ log }) => <Time at={log.timestamp} as="exact" /> },
          {
            label: 'After',
            isNumber: true,
            cell: ({ place }) => durationText(place.offset_ms),
          },
          { label: 'On the time axis', cell: ({ place }) => <Axis {...place} /> },
          {
            label: 'Level',
            cell: ({ log }) => <Badge tone={LEVEL_TONES[log.level]}>{log.level}</Badge>,
          },
          { label: 'Device', cell: ({ log }) => log.device_id },
          { label: 'Span', cell: ({ log }) => <span class="mono">{log.span_id}</span> },
          {
            label: 'Message',
            isWide: true,
            cell: ({ log }) => <span class="mono">{log.message.slice(0, 300)}</span>,
          },
          {
            label: 'Details',
            hideLabel: true,
            cell: ({ log }) => (
              <Button size="small" kind="quiet" onClick={() => setOpen(log)}>
                Open
              </Button>
            ),
          },
        ]}
      />
      {open && <EntryDialog entry={open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

const Axis = ({ share }: Placed) => (
  <span class={styles['axis']} aria-hidden="true">
    <span style={{ left: `${100 * share}%` }} />
  </span>
)

function rowsOf(logs: readonly LogRecord[]): { log: LogRecord; place: Placed }[] {
  const places = placesOf(logs.map(({ timestamp }) => timestamp))
  return logs.map((log, index) => ({ log, place: places[index] as Placed }))
}

/** A day before and after an entry of the trace; without it, what was received recently. */
function datesAround(at: string): { start_date?: string; end_date?: string } {
  const time = Date.parse(at)
  if (Number.isNaN(time)) return {}
  return { start_date: isoOf(time - DAY_MS), end_date: isoOf(time + DAY_MS) }
}

const linkDates = ({ start_date, end_date }: ReturnType<typeof datesAround>) =>
  start_date === undefined || end_date === undefined
    ? { range: 'received' }
    : { from: start_date, to: end_date }
