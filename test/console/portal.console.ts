/** Customer portals: an admin creates a link, and a customer uses it in a frame of another site. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createAuthority } from '../../emulators/certificate.ts'
import { type Receiver, startReceiver } from '../../emulators/receiver.ts'
import { expectAccessible, expectFits, expectUsable, useConsole } from './harness.ts'

const authority = createAuthority()
const receiver: Receiver = await startReceiver({ authority })
const harness = useConsole({
  webhook_ca: authority.cert,
  settings: { VIGIL_WEBHOOK_ALLOW: '127.0.0.1', VIGIL_WEBHOOK_POLL_MS: '20' },
})

/** Sites of customers, which embed what their query names. */
const startSite = async (): Promise<Server> => {
  const site = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('url') ?? ''
    response.setHeader('content-type', 'text/html')
    response.end(
      `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>
      <iframe title="Webhooks" width="1200" height="800" src="${url}"></iframe></html>`,
    )
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  return site
}
const originOf = (site: Server) => `http://127.0.0.1:${(site.address() as AddressInfo).port}`
let allowed: Server
let other: Server
beforeAll(async () => {
  allowed = await startSite()
  other = await startSite()
})
afterAll(async () => {
  allowed.close()
  other.close()
  await receiver.close()
})

const framedAt = (site: Server, link: string) =>
  `${originOf(site)}/?url=${encodeURIComponent(link)}`

it('is embedded by an allowed origin, where a customer adds an endpoint and sees its deliveries', async () => {
  const { page, org_id } = await harness().openNew('/webhooks')
  await page.getByRole('link', { name: 'Portals' }).click()
  await page.getByText('No portals for live data').waitFor()
  await expectUsable(page)
  await page.getByRole('link', { name: 'New portal' }).click()
  await page.getByLabel('Name').fill('Acme')
  await page.getByLabel('order.fraud.detected').check()
  await page.getByLabel('Allowed origins').fill(originOf(allowed))
  await expectUsable(page)
  await page.getByRole('button', { name: 'Create portal' }).click()
  await page.getByText('No links').waitFor()
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByLabel('Note').fill('Ann')
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
  const shown = (await page.getByText(/#vpl_\w+$/).textContent()) ?? ''
  // The public address of this service is not set, so the link has another port.
  const link = harness().origin + new URL(shown).pathname + new URL(shown).hash
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('button', { name: 'End the link for Ann' }).waitFor()
  await expectUsable(page)

  const context = await harness().browser.newContext({ viewport: { width: 1280, height: 900 } })
  const customer = await context.newPage()
  await customer.goto(framedAt(allowed, link))
  const frame = customer.frameLocator('iframe')
  await frame.getByRole('link', { name: 'New endpoint' }).click()
  await frame.getByLabel('URL').fill(`${receiver.url}/acme`)
  expect(await frame.getByLabel('mdm.device.enrolled').count()).toBe(0)
  await frame.getByLabel('order.fraud.detected').check()
  await frame.getByRole('button', { name: 'Create endpoint' }).click()
  await frame.getByRole('button', { name: 'I have stored it' }).click()
  await frame.getByRole('link', { name: 'Go to endpoint' }).click()
  await frame.getByRole('button', { name: 'Send test event' }).click()
  await frame.getByRole('button', { name: 'Send', exact: true }).click()
  await frame.getByText('Delivered: the receiver responded').waitFor()
  const [got] = receiver.received
  expect(got).toMatchObject({ path: '/acme', event: 'order.fraud.detected' })
  expect(got?.headers['x-service-test']).toBe('true')

  await frame.getByRole('link', { name: 'Back to Deliveries' }).click()
  await frame.getByRole('link', { name: 'Replay' }).click()
  await frame.getByLabel('succeeded').check()
  await frame.getByRole('button', { name: 'Replay', exact: true }).click()
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), { timeout: 15_000 })
  expect(await context.cookies()).toEqual([])

  // As a separate page, which axe can examine, and which fits a phone.
  const alone = await context.newPage()
  await alone.goto(link)
  await alone.getByRole('link', { name: `${receiver.url}/acme` }).waitFor()
  await expectAccessible(alone)
  for (const width of [390, 1440]) await expectFits(alone, width)
  await alone.reload()
  await alone.getByRole('link', { name: 'Event catalog' }).click()
  await alone.getByRole('button', { name: 'Send sample of order.fraud.detected' }).waitFor()
  await expectUsable(alone)

  await customer.goto(framedAt(other, link))
  const refused = customer.frames().find((each) => each !== customer.mainFrame())
  expect(await refused?.getByText('Acme').count()).toBe(0)

  await page.goto(`${harness().origin}/console/o/${org_id}/webhooks`)
  await page.getByText('portal: Acme').waitFor()
  await sql`update portal_links set expires_at = now() where org_id = ${org_id}`.execute(
    harness().stores.directory,
  )
  await customer.goto(framedAt(allowed, link))
  await frame.getByText('This link is no longer valid').waitFor()
  await context.close()
})
