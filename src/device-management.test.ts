import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../test/database.ts'
import { addBacklogGauges } from './device-management.ts'
import { createMetrics } from './platform/metrics.ts'

const db = ownDatabase()
const NOW = new Date('2026-03-01T12:00:00Z')

async function rendered(): Promise<string> {
  const metrics = createMetrics()
  addBacklogGauges({ db, clock: { now: () => NOW } }, metrics)
  return (await metrics.render()).text
}

describe('the metrics of device management', () => {
  it('say zero where nothing waits', async () => {
    const text = await rendered()
    expect(text).toContain('vigil_mdm_waiting{kind="issue_command"} 0')
    expect(text).toContain('vigil_mdm_oldest_seconds{kind="issue_command"} 0')
    expect(text).toContain('vigil_mdm_pause_seconds{class="device"} 0')
  })

  it('say what waits, since when, what fails, and which requests are paused', async () => {
    for (const [attempts, minute] of [
      [0, 59],
      [7, 58],
    ] as const) {
      await sql`insert into mdm_dispatches (org_id, kind, subject_id, attempts, due_at, created_at)
        values (${randomUUID()}, 'assign_policy', ${randomUUID()}, ${attempts}, now(),
          ${new Date(Date.UTC(2026, 2, 1, 11, minute))})`.execute(db)
    }
    // Pauses are over by the clock of the database.
    await sql`insert into mdm_request_pauses (class, paused_until)
      values ('device', now() + interval '1000 years')`.execute(db)
    const text = await rendered()
    expect(text).toContain('vigil_mdm_waiting{kind="assign_policy"} 2')
    expect(text).toContain('vigil_mdm_failing{kind="assign_policy"} 1')
    expect(text).toContain('vigil_mdm_oldest_seconds{kind="assign_policy"} 120')
    expect(text).toMatch(/vigil_mdm_pause_seconds\{class="device"\} [1-9]/)
    expect(text).toContain('vigil_mdm_pause_seconds{class="command"} 0')
  })
})
