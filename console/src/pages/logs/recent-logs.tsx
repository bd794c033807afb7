/** A few logs as a table, with a dialog for the details of each. */
import { useState } from 'preact/hooks'
import type { LogPage, LogRecord } from '../../../../src/modules/edge/logs/schema.ts'
import { mapRead, type Readable } from '../../api/lists.ts'
import { Badge, Button, ListSection, Time } from '../../components/index.ts'
import { PageLink } from '../../shell/links.tsx'
import { EntryDialog, LEVEL_TONES } from './explorer/entry-dialog.tsx'

export function RecentLogs({ read, label }: { read: Readable<LogPage>; label: string }) {
  const [open, setOpen] = useState<LogRecord>()
  return (
    <>
      <ListSection
        title="Latest logs"
        label={label}
        list={mapRead(read, ({ logs }) => logs)}
        what="logs"
        emptyTitle="No logs in this period"
        keyOf={({ id }) => id}
        columns={[
          { label: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
          { label: 'Level', cell: ({ level }) => <Badge tone={LEVEL_TONES[level]}>{level}</Badge> },
          { label: 'Device', cell: ({ device_id }) => device_id },
          {
            label: 'Message',
            isWide: true,
            cell: ({ message }) => <span class="mono">{message.slice(0, 300)}</span>,
          },
          {
            label: 'Trace',
            hideLabel: true,
            cell: ({ trace_id, timestamp }) =>
              trace_id !== null && (
                <PageLink to="/logs/trace" query={{ trace_id, at: timestamp }}>
                  Trace
                </PageLink>
              ),
          },
          {
            label: 'Details',
            hideLabel: true,
            cell: (log) => (
              <Button size="small" kind="quiet" onClick={() => setOpen(log)}>
                Open
              </Button>
            ),
          },
        ]}
      />
      {open && <EntryDialog entry={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}
