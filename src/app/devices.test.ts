import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../test/database.ts'
import { createMetrics } from '../platform/metrics.ts'
import { backlogGauges, notificationGauges } from './devices.ts'

const db = ownDatabase()
const NOW = new Date('2026-03-01T12:00:00Z')

async function rendered(): Promise<string> {
  const metrics = createMetrics()
  for (const gauges of backlogGauges({ directory: db, db, clock: { now: () => NOW } }))
    metrics.addGauges(gauges)
  return (await metrics.render()).text
}

describe('the metrics of device management', () => {
  it('are zero when nothing waits', async () => {
    const text = await rendered()
    expect(text).toContain('vigil_mdm_waiting{kind="issue_command"} 0')
    expect(text).toContain('vigil_mdm_oldest_seconds{kind="issue_command"} 0')
    expect(text).toContain('vigil_mdm_pause_seconds{class="device"} 0')
  })

  it('show the backlog, its age, failures, and paused request classes', async () => {
    for (const [attempts, minute] of [
      [0, 59],
      [7, 58],
    ] as const) {
      await sql`insert into mdm_dispatches (org_id, kind, subject_id, attempts, due_at, created_at)
        values (${randomUUID()}, 'assign_policy', ${randomUUID()}, ${attempts}, now(),
          ${new Date(Date.UTC(2026, 2, 1, 11, minute))})`.execute(db)
    }
    // The clock of the database determines when a pause is over.
    await sql`insert into mdm_request_pauses (class, paused_until)
      values ('device', now() + interval '1000 years')`.execute(db)
    const text = await rendered()
    expect(text).toContain('vigil_mdm_waiting{kind="assign_policy"} 2')
    expect(text).toContain('vigil_mdm_failing{kind="assign_policy"} 1')
    expect(text).toContain('vigil_mdm_oldest_seconds{kind="assign_policy"} 120')
    expect(text).toMatch(/vigil_mdm_pause_seconds\{class="device"\} [1-9]/)
    expect(text).toContain('vigil_mdm_pause_seconds{class="command"} 0')
  })

  it('show the notifications that wait for a lock', async () => {
    const metrics = createMetrics()
    metrics.addGauges(notificationGauges({ status: () => ({ put_off: 3, oldest_ms: 2500 }) }))
    const { text } = await metrics.render()
    expect(text).toContain('vigil_mdm_put_off{kind="notification"} 3')
    expect(text).toContain('vigil_mdm_put_off_oldest_seconds{kind="notification"} 2.5')
  })
})
