import { describe, expect, it } from 'vitest'
import { type HoldInput, holdOf } from './hold.ts'
import { isTimeZone, quietUntil } from './quiet-hours.ts'
import { applyingRoutes, decide, type Route, type Routed } from './routing.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)

const ROUTE: Route = {
  user_id: null,
  subject: null,
  rule_id: null,
  channel_ids: ['ops'],
  min_severity: 'notice',
  repeat_minutes: 0,
  quiet_hours: null,
  muted_until: null,
}
const ALERT: Routed = {
  subject: 'log_alert',
  severity: 'critical',
  rule_id: 'r1',
  is_lasting: true,
  resolved_at: null,
  acknowledged_at: null,
  muted_until: null,
  told: [],
}
const told = (notification: Partial<Routed>, routes: Partial<Route>[]) => {
  const given = routes.map((route) => ({ ...ROUTE, ...route }))
  const { tellings, due_at } = decide({ ...ALERT, ...notification }, given, NOW)
  return { steps: tellings.map(({ channel_id, step }) => `${channel_id} ${step}`), due_at }
}

describe('a notification of a muted rule', () => {
  const later = new Date(NOW.getTime() + 3_600_000)
  const muted_until = later

  it('is sent when the mute ends, if it lasts then', () => {
    expect(told({ muted_until }, [{}])).toEqual({ steps: [], due_at: later })
    expect(told({ muted_until: NOW }, [{}])).toMatchObject({ steps: ['ops started'] })
  })

  it('that ends is resolved only for those who were notified of its start', () => {
    expect(told({ muted_until, resolved_at: NOW }, [{}]).steps).toEqual([])
    const known = { muted_until, resolved_at: NOW, told: ['ops'] }
    expect(told(known, [{}]).steps).toEqual(['ops resolved'])
  })
})

describe('routes', () => {
  it('apply from the most specific one, and those of members in addition', () => {
    const routes = [
      ROUTE,
      { ...ROUTE, subject: 'log_alert', channel_ids: ['logs'] },
      { ...ROUTE, subject: 'log_alert', rule_id: 'r1', channel_ids: ['tills'] },
      { ...ROUTE, user_id: 'ann', channel_ids: ['ann'] },
      { ...ROUTE, user_id: 'bob', subject: 'key_rolled', channel_ids: ['bob'] },
    ]
    const channels = (subject: string, rule_id: string | null) =>
      applyingRoutes({ subject, rule_id, severity: 'critical' }, routes).flatMap(
        ({ channel_ids }) => channel_ids,
      )
    expect(channels('log_alert', 'r1')).toEqual(['tills', 'ann'])
    expect(channels('log_alert', 'r2')).toEqual(['logs', 'ann'])
    expect(channels('key_rolled', null)).toEqual(['ops', 'ann', 'bob'])
    expect(channels('credits_low', null)).toEqual(['ops', 'ann'])
  })

  it('tell of what is severe enough, each channel once', () => {
    const routes = [{ min_severity: 'critical' as const }, { user_id: 'ann' }]
    expect(told({ severity: 'warning' }, routes).steps).toEqual(['ops started'])
    expect(told({ severity: 'warning' }, routes.slice(0, 1)).steps).toEqual([])
    expect(told({}, routes).steps).toEqual(['ops started'])
  })

  it('repeat what lasts until it is acknowledged', () => {
    const routes = [{ repeat_minutes: 30 }]
    expect(told({}, routes)).toEqual({ steps: ['ops started'], due_at: after(30) })
    expect(told({ told: ['ops'] }, routes)).toEqual({ steps: ['ops repeated'], due_at: after(30) })
    const acknowledged_at = NOW
    expect(told({ told: ['ops'], acknowledged_at }, routes)).toEqual({ steps: [], due_at: null })
    expect(told({ is_lasting: false }, routes)).toEqual({ steps: ['ops started'], due_at: null })
  })

  it('tell of what still lasts when a mute ends', () => {
    const routes = [{ muted_until: after(20) }]
    expect(told({}, routes)).toEqual({ steps: [], due_at: after(20) })
    expect(told({}, [{ muted_until: NOW }])).toEqual({ steps: ['ops started'], due_at: null })
  })

  it('tell of the end those that were notified of the start, and of both if no one was', () => {
    const resolved_at = NOW
    expect(told({ resolved_at, told: ['ops', 'gone'] }, [{ channel_ids: ['ops', 'new'] }])).toEqual(
      {
        steps: ['ops resolved', 'gone resolved'],
        due_at: null,
      },
    )
    expect(told({ resolved_at }, [{}]).steps).toEqual(['ops started', 'ops resolved'])
    expect(told({ resolved_at }, [{ muted_until: after(1) }]).steps).toEqual([])
  })
})

describe('quiet hours', () => {
  const quiet = { from: '22:00', until: '07:00', time_zone: 'Europe/Berlin' }
  it.each([
    ['2026-03-01T20:59:30Z', undefined],
    ['2026-03-01T21:00:30Z', '2026-03-02T06:00:00.000Z'],
    ['2026-03-02T05:59:00Z', '2026-03-02T06:00:00.000Z'],
    ['2026-03-02T06:00:00Z', undefined],
  ])('at %s end at %s', (now, until) => {
    expect(quietUntil(quiet, new Date(now))?.toISOString()).toBe(until)
  })

  it('do not exist where none are set, or where they are empty', () => {
    expect(quietUntil(null, NOW)).toBeUndefined()
    expect(quietUntil({ ...quiet, until: '22:00' }, NOW)).toBeUndefined()
    expect([isTimeZone('Europe/Berlin'), isTimeZone('Mars')]).toEqual([true, false])
  })
})

describe('a message', () => {
  const input: HoldInput = {
    kind: 'slack',
    per_hour_max: 2,
    severity: 'warning',
    quiet_hours: null,
    recent: { same_subject_at: null, in_hour: 0, first_in_hour_at: null },
    now: NOW,
  }
  const quiet_hours = { from: '11:00', until: '13:00', time_zone: 'UTC' }
  const busy = { same_subject_at: after(-0.5), in_hour: 2, first_in_hour_at: after(-40) }

  it('is sent immediately unless there is a reason to wait', () => {
    expect(holdOf(input)).toBeUndefined()
    expect(
      holdOf({ ...input, recent: { ...busy, in_hour: 1, same_subject_at: after(-2) } }),
    ).toBeUndefined()
  })

  it('waits for the end of quiet hours unless it is critical', () => {
    expect(holdOf({ ...input, quiet_hours })).toEqual({ hold: 'quiet_hours', until: after(60) })
    expect(holdOf({ ...input, quiet_hours, severity: 'critical' })).toBeUndefined()
  })

  it('waits for others about its subject, and where the channel has no room in the hour', () => {
    const grouping = { hold: 'grouping', until: after(0.5) }
    expect(holdOf({ ...input, recent: { ...busy, in_hour: 1 } })).toEqual(grouping)
    expect(holdOf({ ...input, recent: busy })).toEqual({ hold: 'limit', until: after(20) })
  })

  it('to PagerDuty waits for quiet hours only', () => {
    expect(holdOf({ ...input, kind: 'pagerduty', recent: busy })).toBeUndefined()
    expect(holdOf({ ...input, kind: 'pagerduty', quiet_hours })).toMatchObject({
      hold: 'quiet_hours',
    })
  })
})
