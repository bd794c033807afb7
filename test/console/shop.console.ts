/**
 * The sample shop against the real service: a customer signs up and orders in a browser, a person decides, and the
 * shop receives the decision by a webhook, sends a push message and logs it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { createAuthority } from '../../emulators/certificate.ts'
import { startFcm } from '../../emulators/fcm/index.ts'
import { startPhone } from '../../examples/shop/phone.ts'
import { setUpShop, signIn } from '../../examples/shop/setup.ts'
import type { ReviewList } from '../../src/modules/reviews/schema.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { freePort } from '../e2e/free-port.ts'
import { useConsole } from './harness.ts'

const authority = createAuthority()
const fcm = await startFcm({ port: 0, authority })
const harness = useConsole({
  push_ca: authority.cert,
  webhook_ca: authority.cert,
  settings: {
    VIGIL_FCM_URL: fcm.url,
    VIGIL_FCM_TOKEN_URL: fcm.token_url,
    VIGIL_PUSH_POLL_MS: '50',
    VIGIL_WEBHOOK_ALLOW: '127.0.0.1',
  },
})
afterAll(async () => await fcm.close())

const WAIT = { timeout: 30_000, interval: 200 }
const TIMEOUT_MS = 150_000
/** The address in the form of the page, which has a fixed result with test keys. */
const EMAIL = 'clean@example.com'
const BACKENDS = [
  ['TypeScript', [process.execPath, 'dist/examples/shop/backend.js'], undefined],
  ['Python', ['python3', 'examples/shop/backend.py'], missingPython()],
] as const

describe.each(BACKENDS)('the sample shop with the backend in %s', (_, command, missing) => {
  it('takes an order from the sign-up to the decision', { timeout: TIMEOUT_MS }, async ({
    skip,
  }) => {
    if (missing !== undefined) skip(missing)
    const { origin: url, createOrganization, browser } = harness()
    const { org_id, owner, keys } = await createOrganization()
    const folder = mkdtempSync(join(tmpdir(), 'vigil-shop-'))
    const ports = { shop: 0, hooks: await freePort() }
    const installation = { url, org_id, owner, keys, authority, fcm: { url: fcm.url, ca: fcm.ca } }
    const environment = await setUpShop(installation, ports, folder)
    const backend = spawn(command[0], [command[1]], {
      cwd: packageRoot(),
      env: { ...process.env, ...environment, PYTHONUNBUFFERED: '1', PYTHONDONTWRITEBYTECODE: '1' },
    })
    const context = await browser.newContext()
    try {
      const shop = await addressOf(backend)
      const api = await signIn(url, owner)
      const page = await context.newPage()
      await page.goto(shop)
      // Without a report, because a refused sign-up counts against its device.
      const refused = JSON.stringify({ email: 'jane@mailinator.com' })
      expect((await fetch(`${shop}/sign-up`, { method: 'POST', body: refused })).status).toBe(403)
      await page.getByRole('button', { name: 'Sign up' }).click()
      await page.getByText('Welcome. Risk: low').waitFor()
      const phone = await startPhone({ shop, email: EMAIL, environment, fcm: installation.fcm })
      if (!phone) throw new Error('the phone could not sign in')

      await page.getByRole('button', { name: 'Order' }).click()
      await expect.poll(async () => await states(page), WAIT).toEqual(['accepted'])
      await page.getByLabel('Deliver to').selectOption('Tokyo')
      await page.getByRole('button', { name: 'Order' }).click()
      await expect.poll(async () => await states(page), WAIT).toEqual(['accepted', 'waiting'])
      expect(await sendForged(ports.hooks)).toBe(401)
      const reviews = `/console/api/reviews?org_id=${org_id}&mode=test`
      const [review] = (await api<ReviewList>('GET', reviews)).reviews
      await api('POST', `/console/api/reviews/${review?.id}/decision`, {
        org_id,
        mode: 'test',
        decision: 'legitimate',
      })
      await expect.poll(async () => await states(page), WAIT).toEqual(['accepted', 'released'])
      await expect
        .poll(async () => await phone.notifications(), WAIT)
        .toEqual(['Your order is on its way'])
      phone.close()

      const messages = async () => {
        const path = `/console/api/edge/logs?org_id=${org_id}&mode=test`
        const { logs } = await api<{ logs: { message: string }[] }>('GET', path)
        return logs.map(({ message }) => message)
      }
      await vi.waitFor(async () => {
        expect(await messages()).toEqual(
          expect.arrayContaining([
            'Sign-up with risk low',
            expect.stringContaining('waits for a review'),
            'Webhook order.fraud.detected',
            'Webhook profile.risk.changed',
          ]),
        )
      }, WAIT)
      await page.evaluate('rum.flush()')
      const sessions = `/console/api/rum/sessions?org_id=${org_id}&mode=test`
      await vi.waitFor(async () => {
        expect(JSON.stringify(await api('GET', sessions))).toContain('"session_id"')
      }, WAIT)
    } finally {
      await context.close()
      await stop(backend)
      rmSync(folder, { recursive: true })
    }
  })
})

const states = async (page: Page): Promise<string[]> =>
  await page.locator('#orders li').allInnerTexts()

/** @returns the status with which the shop answers a webhook that Vigil did not sign */
async function sendForged(port: number): Promise<number | undefined> {
  const sent = request({
    host: '127.0.0.1',
    port,
    path: '/hooks/vigil',
    method: 'POST',
    ca: authority.cert,
  })
  sent.setHeader('X-Service-Signature', `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`)
  sent.end('{}')
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

async function addressOf(backend: ChildProcess): Promise<string> {
  let output = ''
  backend.stderr?.on('data', (data: Buffer) => (output += data.toString()))
  backend.stdout?.on('data', (data: Buffer) => (output += data.toString()))
  return await vi.waitFor(() => {
    const [, url] = /^Shop (\S+)$/m.exec(output) ?? []
    if (url === undefined) throw new Error(`The backend has not started: ${output}`)
    return url
  }, WAIT)
}

async function stop(backend: ChildProcess): Promise<void> {
  if (backend.exitCode !== null) return
  const ended = once(backend, 'exit')
  backend.kill('SIGTERM')
  await ended
}

function missingPython(): string | undefined {
  try {
    const check = 'import sys; sys.exit(sys.version_info < (3, 9))'
    execFileSync('python3', ['-c', check], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'python3, version 3.9 or later, is not installed'
  }
}
