/** Reports of the device SDK in checks, on the real application. */
import { describe, expect, it } from 'vitest'
import { type Tenant, useHarness } from '../../../../test/harness.ts'
import {
  newReportId,
  ORDINARY_DEVICE,
  type ReportMembers,
  signedReport,
} from '../../../../test/support/device-reports.ts'
import type { CheckDetails } from '../reading/schema.ts'

const harness = useHarness()

const check = async (tenant: Tenant, body: object, key = tenant.keys.live_secret) =>
  await harness().post('/v1/check', body, { key })

/** Sends a report as a backend passes it on. @returns the findings about the device, and what is stored */
async function checkDevice(tenant: Tenant, device: object, more: object = {}) {
  const { status, body } = await check(tenant, { device, ...more })
  expect(status).toBe(200)
  const token = await harness().signIn(tenant.org_id, 'member')
  const query = `org_id=${tenant.org_id}&mode=live`
  const details = await harness().get<CheckDetails>(
    `/console/api/checks/${body.content.check_id}?${query}`,
    { token },
  )
  const { explanation, request } = details.body.content
  const { parts, silent } = explanation
  const findings = [...parts.flatMap((part) => part.findings), ...silent]
  return {
    score: body.content.risk_score,
    findings: findings.map(({ finding }) => finding),
    stored: request.device as Record<string, unknown>,
  }
}

const reportOf = ({ keys }: Tenant, members: ReportMembers = {}) =>
  signedReport(keys.live_public, members)

describe('a check with a report of the device SDK', () => {
  it('takes the fingerprint from it, and stores what it says instead of its text', async () => {
    const tenant = await harness().createTenant()
    const id = newReportId()
    const text = reportOf(tenant, { id })
    const { score, findings, stored } = await checkDevice(tenant, { signed_report: text })
    expect({ score, findings }).toEqual({ score: 0, findings: [] })
    expect(stored).toMatchObject({
      fingerprint_hash: ORDINARY_DEVICE.fingerprint_hash,
      signed_report: { state: 'valid', id, device: ORDINARY_DEVICE, behavior: { insertions: 12 } },
    })
    expect(JSON.stringify(stored)).not.toContain(text.slice(0, 40))
  })

  it('is scored with what the report says', async () => {
    const tenant = await harness().createTenant()
    const device = { ...ORDINARY_DEVICE, webdriver: true }
    const signed_report = reportOf(tenant, { device })
    const { score, findings } = await checkDevice(tenant, { signed_report })
    expect({ score, findings }).toEqual({ score: 60, findings: ['automated_browser'] })
  })

  it('notices a report that is sent for another person, but not a repetition', async () => {
    const tenant = await harness().createTenant()
    const signed_report = reportOf(tenant)
    const send = async (phone: string) => await checkDevice(tenant, { signed_report }, { phone })
    expect((await send('+4915112345601')).findings).not.toContain('repeated_report')
    const again = await send('+4915112345601')
    expect(again.findings).toContain('repeated_report')
    expect(again.score).toBe(0)
    const copied = await send('+4915112345602')
    expect(copied.findings).toContain('copied_report')
    expect(copied.score).toBeGreaterThanOrEqual(68)
    const bulk = { checks: [{ phone: '+4915112345603', device: { signed_report } }] }
    const { body } = await harness().post<{ content: { risk_score: number } }[]>(
      '/v1/check/bulk',
      bulk,
      { key: tenant.keys.live_secret },
    )
    expect(body.content[0]?.content.risk_score).toBeGreaterThanOrEqual(68)
  })

  it('notices two people with one report in the same batch', async () => {
    const tenant = await harness().createTenant()
    const signed_report = reportOf(tenant)
    const checks = ['+4915112345611', '+4915112345612', '+4915112345613'].map((phone) => ({
      phone,
      device: { signed_report },
    }))
    const { body } = await harness().post<{ content: { risk_score: number } }[]>(
      '/v1/check/bulk',
      { checks },
      { key: tenant.keys.live_secret },
    )
    const copied = body.content.filter(({ content }) => content.risk_score >= 68)
    expect(copied).toHaveLength(2)
  })

  it('counts nothing that another organization or the other mode has sent', async () => {
    const [one, other] = [await harness().createTenant(), await harness().createTenant()]
    const id = newReportId()
    await checkDevice(one, { signed_report: reportOf(one, { id }) }, { phone: '+4915112345621' })
    const elsewhere = await checkDevice(
      other,
      { signed_report: reportOf(other, { id }) },
      { phone: '+4915112345622' },
    )
    expect(elsewhere.findings).not.toContain('copied_report')
    const foreign = await checkDevice(other, { signed_report: reportOf(one) })
    expect(foreign).toMatchObject({ score: 0, findings: ['unknown_report_key'] })
    expect(foreign.stored).toEqual({ signed_report: { state: 'unknown_key' } })
    const ofTest = await checkDevice(one, { signed_report: signedReport(one.keys.test_public) })
    expect(ofTest.findings).toEqual(['unknown_report_key'])
  })

  it('no longer accepts a key that was revoked', async () => {
    const tenant = await harness().createTenant()
    const signed_report = reportOf(tenant)
    const { keys } = harness().services
    const [key] = (await keys.list(tenant.org_id)).filter(({ type }) => type === 'live_public')
    await keys.revoke(tenant.org_id, key?.key_id ?? '')
    expect((await checkDevice(tenant, { signed_report })).findings).toEqual(['unknown_report_key'])
  })

  it('is scored without a report that is changed, expired or cut off', async () => {
    const tenant = await harness().createTenant()
    const text = reportOf(tenant)
    const sent = async (signed_report: unknown) => {
      const { score, findings, stored } = await checkDevice(tenant, { signed_report })
      return [score, findings, (stored['signed_report'] as { state?: string } | string) ?? '']
    }
    const mac = text.slice(text.lastIndexOf('.') + 1)
    const changed = text.replace(mac, mac.startsWith('A') ? `B${mac.slice(1)}` : `A${mac.slice(1)}`)
    expect(await sent(changed)).toEqual([56, ['tampered_report'], { state: 'changed' }])
    const old = reportOf(tenant, { issued_at: Date.now() - 86_400_000 })
    expect(await sent(old)).toEqual([8, ['expired_report'], { state: 'expired' }])
    const cut = [0, ['unreadable_report'], { state: 'unreadable' }]
    expect(await sent(text.slice(0, -10))).toEqual(cut)
    expect(await sent('of another SDK')).toEqual([0, [], 'of another SDK'])
  })

  it('returns the stored result when the request is sent again with its event_id', async () => {
    const tenant = await harness().createTenant()
    const event = { event_id: newReportId(), phone: '+4915112345631' }
    const device = { signed_report: reportOf(tenant) }
    const first = await check(tenant, { device, ...event })
    const second = await check(tenant, { device, ...event })
    expect(second.body.content.check_id).toBe(first.body.content.check_id)
  })

  it('finds the fingerprint of the report in the lists of the organization', async () => {
    const tenant = await harness().createTenant()
    const owner = { org_id: tenant.org_id, mode: 'live' } as const
    const value = ORDINARY_DEVICE.fingerprint_hash
    await harness().services.lists.add(owner, { list: 'block', kind: 'device', value }, 'cli')
    const { body } = await check(tenant, { device: { signed_report: reportOf(tenant) } })
    expect(body.content.risk_level).toBe('critical')
  })
})
