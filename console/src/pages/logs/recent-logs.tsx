/** A few logs as a table, each of which opens. */
import { useState } from 'preact/hooks'
import type { LogRecord } from '../../../../src/modules/edge/logs/schema.ts'
import { Badge, Button, Empty, Table, Time } from '../../components/index.ts'
import { EntryDialog, LEVEL_TONES } from './explorer/entry-dialog.tsx'

export function RecentLogs({ label, logs }: { label: string; logs: readonly LogRecord[] }) {
  const [open, setOpen] = useState<LogRecord>()
  if (logs.length === 0) return <Empty title="No logs in this time" />
  return (
    <>
      <Table
        label={label}
        rows={logs}
        keyOf={({ id }) => id}
        columns={[
          { label: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
          {
            label: 'Level',
            cell: ({ level }) => <Badge tone={LEVEL_TONES[level]}>{level}</Badge>,
          },
          { label: 'Device', cell: ({ device_id }) => device_id },
          {
            label: 'Message',
            isWide: true,
            cell: ({ message }) => <span class="mono">{message.slice(0, 300)}</span>,
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
