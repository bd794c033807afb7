/**
 * The device SDK with the built service: a page collects, its backend passes the report on unread, and the check
 * is scored and explained with what the browser measured.
 */
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckDetails } from '../../src/modules/checks/reading/schema.ts'
import { freePort } from '../e2e/free-port.ts'
import { createRoom, isLinux, type Room, type Service, serve } from '../e2e/program.ts'
import { signIn } from '../e2e/reviewer.ts'
import { launchChromium } from './chromium.ts'
import {
  type Collected,
  collect,
  type DeviceSite,
  openForm,
  payloadOf,
  startDeviceSite,
} from './device-site.ts'

const BY_HAND = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36',
}
const PHONE = {
  userAgent:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/147.0.0.0 Mobile Safari/537.36',
  isMobile: true,
  hasTouch: true,
}

describe.skipIf(!isLinux)('a sign-up with the device SDK', () => {
  let room: Room | undefined
  let service: Service
  let first: NonNullable<Service['ready']['first_run']>
  let token: string
  let site: DeviceSite
  let browser: Browser
  beforeAll(async () => {
    room = createRoom()
    service = await serve({ cwd: room.folder, env: { VIGIL_PORT: `${await freePort()}` } })
    if (!service.ready.first_run) throw new Error('it was not the first start')
    first = service.ready.first_run
    token = await signIn(service.ready.url, first)
    site = await startDeviceSite()
    browser = await launchChromium(['--disable-blink-features=AutomationControlled'])
  })
  afterAll(async () => {
    await room?.close()
    await browser.close()
    await site.close()
  })

  it('by hand is low, and the service knows the fingerprint of the page', async () => {
    const collected = await signUp(BY_HAND)
    const { level, findings, stored } = await check(collected, { email: 'ann@example.com' })
    expect(level).toBe('low')
    expect(findings).toEqual(['virtual_graphics'])
    expect(stored).toEqual({
      fingerprint_hash: collected.fingerprint_hash,
      signed_report: { state: 'valid', ...withoutKey(collected) },
    })
  })

  it('by a program is challenged, with the reason', async () => {
    const driven = await launchChromium()
    const collected = await signUp({}, driven)
    await driven.close()
    const { level, findings } = await check(collected, {})
    expect(level).toBe('high')
    expect(findings).toEqual(['headless_browser', 'virtual_graphics'])
  })

  it('on a pretended phone says so', async () => {
    const { level, findings } = await check(await signUp(PHONE), {})
    expect({ level, findings }).toEqual({ level: 'medium', findings: ['emulated_device'] })
  })

  it('with the report of another person is challenged', async () => {
    const collected = await signUp(BY_HAND)
    await check(collected, { phone: '+4915112345601' })
    const { level, findings } = await check(collected, { phone: '+4915112345602' })
    // Tests before this one add that several people used the device.
    expect(['high', 'critical']).toContain(level)
    expect(findings).toContain('copied_report')
  })

  it('with a report that was changed on the way is challenged', async () => {
    const collected = await signUp(BY_HAND)
    const [version, , mac] = (collected.device.signed_report ?? '').split('.')
    const payload = { ...payloadOf(collected), device: { platform: 'iPhone' } }
    const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
    const { level, findings } = await check(
      { ...collected, device: { signed_report: `${version}.${text}.${mac}` } },
      {},
    )
    expect({ level, findings }).toEqual({ level: 'high', findings: ['tampered_report'] })
  })

  it('without consent is low, because unknown is not risk', async () => {
    const { level, findings, stored } = await check(
      await signUp(BY_HAND, browser, 'consent: false'),
      {},
    )
    expect({ level, findings }).toEqual({ level: 'low', findings: [] })
    expect(stored).not.toHaveProperty('fingerprint_hash')
  })

  it('names a device that orders and profiles know again', async () => {
    const { fingerprint_hash } = await signUp(BY_HAND)
    const customer = { external_id: 'customer-1', fingerprint_hash }
    await post('/orders', { ...customer, external_order_id: 'device-1', amount_cents: 4990 })
    const { profile } = await post<{ profile: { device_count: number } }>('/profiles', {
      ...customer,
      profile_type: 'customer',
    })
    expect(profile.device_count).toBe(1)
  })

  async function signUp(
    settings: BrowserContextOptions,
    from = browser,
    options = '',
  ): Promise<Collected> {
    const context = await from.newContext(settings)
    const page = await openForm(context, site, `api_key: '${first.keys.test_public}', ${options}`)
    await page.click('input[name=email]')
    await page.keyboard.type('ann@example.com')
    const collected = await collect(page)
    await context.close()
    return collected
  }

  /** As a backend does, which does not read the report. */
  async function check({ device, behavior }: Collected, more: object) {
    const { check_id, risk_level } = await post<{ check_id: string; risk_level: string }>(
      '/check',
      {
        device,
        behavior,
        ...more,
      },
    )
    const root = service.ready.url.replace(/v1$/, 'console/api')
    const query = `org_id=${first.org_id}&mode=test`
    const { explanation, request } = await send<CheckDetails>(
      new Request(`${root}/checks/${check_id}?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      }),
    )
    const { parts, silent } = explanation
    const ofDevice = parts.filter(({ signal }) => signal === 'device')
    return {
      level: risk_level,
      findings: [...ofDevice.flatMap(({ findings }) => findings), ...silent]
        .map(({ finding }) => finding)
        .filter((finding) => !/mail|mx|domain|regist|shared|velocity/.test(finding)),
      stored: request.device,
    }
  }

  const post = async <T>(path: string, body: object): Promise<T> =>
    await send<T>(
      new Request(`${service.ready.url}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': first.keys.test_secret, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
})

async function send<T>(request: Request): Promise<T> {
  const answer = await fetch(request, { signal: AbortSignal.timeout(30_000) })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${request.url}: ${answer.status} ${text}`)
  return (JSON.parse(text) as { content: T }).content
}

/** The documented members of the payload, with the time as JSON has it. */
function withoutKey(collected: Collected) {
  const { id, issued_at, device, behavior } = payloadOf(collected)
  return { id, issued_at: new Date(issued_at).toISOString(), device, behavior }
}
