/** Webhooks: endpoints, deliveries, secrets, retries and replays. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuthority } from '../../emulators/certificate.ts'
import { type Receiver, startReceiver } from '../../emulators/receiver.ts'
import { type EventType, emitEvents } from '../../src/modules/events/index.ts'
import { newEvent } from '../support/webhooks.ts'
import {
  expectAccessible,
  expectUsable,
  HOSTILE,
  type Organization,
  useConsole,
} from './harness.ts'

const authority = createAuthority()
const receiver: Receiver = await startReceiver({ authority })
const harness = useConsole({
  webhook_ca: authority.cert,
  settings: {
    VIGIL_WEBHOOK_ALLOW: '127.0.0.1',
    VIGIL_WEBHOOK_RETRY_SCHEDULE: '1s,1s',
    VIGIL_WEBHOOK_POLL_MS: '20',
  },
})
afterAll(async () => await receiver.close())
beforeEach(() => receiver.setScenario({}))

/** Type of all events in these tests. */
const TYPE = 'order.fraud.detected'
type Endpoint = { id: string; secret: string; url: string }

async function tokenOf({ org_id }: Organization): Promise<string> {
  return await harness().signIn(org_id)
}

async function addEndpoint(
  shop: Organization,
  given: { path?: string; description?: string } = {},
): Promise<Endpoint> {
  const { path = '/hook', description = '' } = given
  const { body } = await harness().post<Endpoint>(
    '/v1/webhooks',
    { org_id: shop.org_id, url: receiver.url + path, events: [TYPE], description },
    { token: await tokenOf(shop) },
  )
  return body.content
}

async function emit(shop: Organization, count: number, data: object = {}): Promise<void> {
  const given = { type: TYPE as EventType, data }
  const events = Array.from({ length: count }, () => newEvent(shop.org_id, given))
  await emitEvents(harness().stores.db, events)
  harness().parts.webhooks.hint()
}

const receivedAt = (path: string) =>
  receiver.received.filter((each) => each.path.split('?')[0] === path)
const PATIENCE = { timeout: 15_000, interval: 50 }
/** Counts one path only, because deliveries of other tests may still arrive. */
const arrived = async (path: string, count: number) =>
  await vi.waitFor(() => expect(receivedAt(path).length).toBeGreaterThanOrEqual(count), PATIENCE)

describe('an endpoint', () => {
  it('is created with its secret shown once, and the snippets verify its signature', async () => {
    const { page } = await harness().openNew('/webhooks')
    await page.getByText('No endpoints for live data').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: 'New endpoint' }).click()
    const create = page.getByRole('button', { name: 'Create endpoint' })
    expect(await create.isDisabled()).toBe(true)
    await page.getByLabel('URL').fill('https://10.0.0.1/hook')
    await page.getByLabel(TYPE).check()
    await create.click()
    const url = page.getByLabel('URL')
    await page.getByRole('alert').first().waitFor()
    expect(await url.getAttribute('aria-invalid')).toBe('true')
    await expectUsable(page)

    await url.fill(`${receiver.url}/created`)
    await page.getByLabel('Description').fill('Orders to hold back')
    await create.click()
    await page.getByRole('heading', { name: 'Endpoint created' }).waitFor()
    const secret = (await page.getByText(/^whsec_\w+$/).textContent()) ?? ''
    expect(secret).toMatch(/^whsec_\w{40}$/)
    await expectUsable(page)
    const snippets: Record<string, string> = {}
    await page.getByRole('button', { name: 'I have stored it' }).click()
    for (const language of ['Node.js', 'Python', 'PHP', 'Ruby', 'Go']) {
      await page.getByRole('button', { name: language, exact: true }).click()
      const label = `Verify a signature in ${language}`
      snippets[language] = (await page.getByRole('region', { name: label }).textContent()) ?? ''
    }

    await page.getByRole('link', { name: 'Go to endpoint' }).click()
    await page.getByRole('heading', { name: `${receiver.url}/created` }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Delivered: the receiver responded').waitFor()
    const [got] = receivedAt('/created')
    const header = got?.headers['x-service-signature'] ?? ''
    expect(got).toMatchObject({ path: '/created', event: TYPE })
    for (const language of ['Node.js', 'Python'] as const) {
      const genuine = { body: got?.body ?? '', header, secret }
      const verify = (given: Partial<typeof genuine>) =>
        verified(language, snippets[language] ?? '', { ...genuine, ...given })
      expect(verify({})).toBe('true')
      expect(verify({ body: `${genuine.body} ` })).toBe('false')
      expect(verify({ secret: `${secret}x` })).toBe('false')
    }
  })

  it('for test data receives test events and is listed with test data only', async () => {
    const { page, ...shop } = await harness().openNew('/webhooks/new?mode=test')
    await page.getByLabel('URL').fill(`${receiver.url}/tests`)
    await page.getByLabel(TYPE).check()
    await page.getByRole('button', { name: 'Create endpoint' }).click()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('link', { name: 'Go to endpoint' }).click()
    await page.getByText('test data', { exact: true }).waitFor()
    await emit(shop, 1)
    await emitEvents(harness().stores.db, [newEvent(shop.org_id, { mode: 'test', type: TYPE })])
    await arrived('/tests', 1)
    await page.getByRole('link', { name: 'Back to Webhooks' }).click()
    await page.getByRole('link', { name: `${receiver.url}/tests` }).waitFor()
    await page.getByLabel('Mode').selectOption('live')
    await page.getByText('1 endpoint for test data').waitFor()
  })

  it('is changed, paused, resumed, and deleted after its URL is typed', async () => {
    const shop = await harness().createOrganization()
    const { id } = await addEndpoint(shop, { path: '/changed' })
    const page = await harness().open(shop.owner, shop.org_id, `/webhooks/${id}/settings`)
    await page.getByLabel('Description').fill('Changed')
    await page.getByLabel('order.fraud.alert').check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Endpoint saved').waitFor()
    await page.getByText('Changed', { exact: true }).waitFor()
    await expectUsable(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused since').waitFor()
    await emit(shop, 1)
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByText('not attempted yet').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await arrived('/changed', 1)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Delete endpoint' }).click()
    const dialog = page.getByRole('dialog')
    const remove = dialog.getByRole('button', { name: 'Delete endpoint' })
    expect(await remove.isDisabled()).toBe(true)
    await expectAccessible(page)
    await dialog.getByRole('textbox').fill(`${receiver.url}/changed`)
    await remove.click()
    await page.getByText('No endpoints for live data').waitFor()
  })

  it('gets a new secret immediately, which is shown once', async () => {
    const shop = await harness().createOrganization()
    const { id, secret } = await addEndpoint(shop, { path: '/rolled' })
    receiver.setScenario({ secrets: [secret] })
    const page = await harness().open(shop.owner, shop.org_id, `/webhooks/${id}/settings`)
    await page.getByRole('button', { name: 'Roll secret' }).click()
    await page
      .getByRole('dialog')
      .getByText('Without an overlap, the old secret stops working immediately')
      .waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll secret' }).click()
    const shown = page.getByText(/^whsec_\w{40}$/)
    await shown.waitFor()
    const rolled = (await shown.textContent()) ?? ''
    await expectUsable(page)
    await page.getByRole('button', { name: 'I have stored it' }).click()
    expect(rolled).not.toBe(secret)
    receiver.setScenario({ secrets: [rolled] })
    await emit(shop, 1)
    await arrived('/rolled', 1)
    expect(receivedAt('/rolled')[0]?.signature).toBe('valid')
    await page.reload()
    await page.getByText('The secret begins with').waitFor()
    expect(await page.content()).not.toContain(rolled)
  })
})

describe('concurrent changes and broken links', () => {
  it('keep changes by someone else when an endpoint is saved', async () => {
    const shop = await harness().createOrganization()
    const { id } = await addEndpoint(shop, { path: '/before' })
    const page = await harness().open(shop.owner, shop.org_id, `/webhooks/${id}/settings`)
    await page.getByLabel('Description').fill('Orders')
    const { body } = await harness().call({
      method: 'PATCH',
      path: `/v1/webhooks/${id}`,
      token: await tokenOf(shop),
      body: { org_id: shop.org_id, url: `${receiver.url}/moved` },
    })
    expect(body.success).toBe(true)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Endpoint saved').waitFor()
    await page.getByRole('heading', { name: `${receiver.url}/moved`, level: 1 }).waitFor()
  })

  it('show deliveries in spite of an invalid date in the address', async () => {
    const shop = await harness().createOrganization()
    const { id } = await addEndpoint(shop)
    const path = `/webhooks/${id}/deliveries?from=2026-13-45&to=2026-99-99`
    const page = await harness().open(shop.owner, shop.org_id, path)
    await page.getByText('No matching deliveries').waitFor()
  })
})

describe('a delivery', () => {
  it('that fails and then succeeds shows its request, its response and each attempt', async () => {
    const shop = await harness().createOrganization()
    const { id } = await addEndpoint(shop, { path: '/fails-once' })
    receiver.setScenario({ paths: { '/fails-once': { status: 503, body: 'busy', times: 1 } } })
    const page = await harness().open(shop.owner, shop.org_id, `/webhooks/${id}/deliveries`)
    await page.getByText('No deliveries yet').waitFor()
    await emit(shop, 1, { order: { id: 'o-1', total: 1e21 } })
    await page.getByRole('link', { name: TYPE }).click()
    const attempts = page.getByRole('region', { name: 'Attempts' })
    await attempts.getByText('Answered 503').waitFor()
    await attempts.getByText('Status 200').waitFor()
    await page.getByText('Delivered: the receiver responded').waitFor()
    expect(await attempts.getByRole('row').count()).toBe(3)
    const headers = page.getByRole('region', { name: 'Request line and headers' })
    const [got] = receivedAt('/fails-once')
    for (const name of ['x-service-event', 'x-service-delivery', 'user-agent', 'content-type']) {
      expect(await headers.textContent()).toContain(`${name}: ${got?.headers[name]}`)
    }
    await page.getByRole('button', { name: 'Raw body' }).click()
    const body = page.getByRole('region', { name: 'Request body' })
    expect(await body.textContent()).toBe(got?.body)
    const answer = page.getByRole('region', { name: 'Response body' })
    expect(JSON.parse((await answer.textContent()) ?? '')).toMatchObject({ signature: 'unchecked' })
    await expectUsable(page)

    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    const rate = page.getByText('Success rate').locator('..')
    await rate.getByText('100%').waitFor()
    await page.getByRole('figure').first().waitFor()
    await expectUsable(page)
  })

  it('that is exhausted can be retried', async () => {
    const shop = await harness().createOrganization()
    const { id } = await addEndpoint(shop, { path: '/fails' })
    receiver.setScenario({ paths: { '/fails': { status: 500, body: HOSTILE[1] } } })
    await emit(shop, 1, { note: HOSTILE[0] })
    await arrived('/fails', 3)
    const page = await harness().open(shop.owner, shop.org_id, `/webhooks/${id}/deliveries`)
    await page.getByRole('cell', { name: 'exhausted', exact: true }).waitFor()
    await page.getByText('All attempts have failed since').waitFor()
    await expectUsable(page)
    receiver.setScenario({})
    await page.getByRole('button', { name: `Retry ${TYPE}` }).click()
    await page.getByRole('cell', { name: 'succeeded' }).waitFor()
    await page.getByRole('cell', { name: '4', exact: true }).waitFor()
    await page.getByLabel('Status').selectOption('exhausted')
    await page.getByText('No matching deliveries').waitFor()
    expect(page.url()).toContain('status=exhausted')
  })

  it('with the response 410 pauses the endpoint until it is resumed', async () => {
    const shop = await harness().createOrganization()
    const { url } = await addEndpoint(shop, { path: '/gone' })
    receiver.setScenario({ paths: { '/gone': { status: 410, times: 1 } } })
    await emit(shop, 1)
    await arrived('/gone', 1)
    const page = await harness().open(shop.owner, shop.org_id, '/webhooks')
    await page.getByText('paused: 410 Gone').waitFor()
    await expectUsable(page)
    await page.getByRole('link', { name: url }).click()
    await page.getByText('Paused because the receiver responded with 410 Gone').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await arrived('/gone', 2)
  })

  it('is replayed with others of a range', async () => {
    const shop = await harness().createOrganization()
    const { id } = await addEndpoint(shop, { path: '/again' })
    await emit(shop, 3)
    await arrived('/again', 3)
    const page = await harness().open(shop.owner, shop.org_id, `/webhooks/${id}/replay`)
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('Nothing was queued').waitFor()
    await page.getByLabel('succeeded').check()
    await page.getByLabel('Created from').fill('2020-01-01T00:00')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText('3 deliveries queued').waitFor()
    await arrived('/again', 6)
    expect(receivedAt('/again').filter(({ is_duplicate }) => is_duplicate)).toHaveLength(3)
    await expectUsable(page)
  })
})

describe('permissions and hostile texts', () => {
  it('members can use endpoints', async () => {
    const shop = await harness().createOrganization()
    const { id, url } = await addEndpoint(shop)
    const page = await harness().open(await shop.join('member'), shop.org_id, '/webhooks')
    await page.getByRole('link', { name: url }).click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Delivered: the receiver responded').waitFor()
    expect(page.url()).toContain(id)
  })

  it('the free plan shows the required plan', async () => {
    const shop = await harness().createOrganization('free')
    const page = await harness().open(shop.owner, shop.org_id, '/webhooks')
    await page.getByText('Webhooks require the Starter plan').waitFor()
    await expectUsable(page)
  })

  it('an endpoint of another organization is not found', async () => {
    const [mine, other] = await harness().createTwoOrganizations()
    const { id } = await addEndpoint(other)
    const page = await harness().open(mine.owner, mine.org_id, `/webhooks/${id}`)
    await page.getByText('Not found').waitFor()
  })

  it.each(HOSTILE)('hostile text is shown as text: %s', async (text) => {
    const shop = await harness().createOrganization()
    const name = `/hostile-${HOSTILE.indexOf(text)}`
    receiver.setScenario({ paths: { [name]: { status: 500, body: text } } })
    const path = `${name}?q=${encodeURIComponent(text)}`
    const { id } = await addEndpoint(shop, { path, description: text })
    await emit(shop, 1, { note: text })
    await arrived(name, 1)
    const page = await harness().open(shop.owner, shop.org_id, '/webhooks')
    await page.getByText(text, { exact: true }).waitFor()
    await page.goto(`${harness().origin}/console/o/${shop.org_id}/webhooks/${id}/deliveries`)
    await page.getByRole('link', { name: TYPE }).click()
    const answer = page.getByRole('region', { name: 'Response body' })
    await answer.waitFor()
    expect(await answer.textContent()).toBe(text)
    expect(await page.locator('img, main script').count()).toBe(0)
  })
})

/** Runs a snippet in its language and returns whether it accepts the delivery. */
function verified(
  language: 'Node.js' | 'Python',
  snippet: string,
  given: { body: string; header: string; secret: string },
): string {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-snippet-'))
  try {
    const { body, header, secret } = given
    const input = { input: body, encoding: 'utf8' as const }
    if (language === 'Node.js') {
      const file = join(folder, 'verify.mjs')
      const call = `isGenuine(readFileSync(0), ${JSON.stringify(header)}, ${JSON.stringify(secret)})`
      writeFileSync(
        file,
        `import { readFileSync } from 'node:fs'\n${snippet}\nprocess.stdout.write(String(${call}))`,
      )
      return execFileSync('node', [file], input)
    }
    const file = join(folder, 'verify.py')
    const call = `is_genuine(sys.stdin.buffer.read(), ${JSON.stringify(header)}, ${JSON.stringify(secret)})`
    writeFileSync(file, `import sys\n${snippet}\nprint(str(${call}).lower(), end="")`)
    return execFileSync('python3', [file], input)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('the settings of an endpoint', () => {
  it('filter events with a preview, and add headers of which no value is shown again', async () => {
    const shop = await harness().createOrganization()
    const { id } = await addEndpoint(shop, { path: '/filtered' })
    await emit(shop, 1, { total: 5 })
    await arrived('/filtered', 1)
    const page = await harness().open(shop.owner, shop.org_id, `/webhooks/${id}/settings`)
    await page.getByRole('button', { name: 'Add condition' }).click()
    await page.getByLabel('Field 1').fill('data.total')
    await page.getByLabel('Operator 1').selectOption('gt')
    await page.getByLabel('Value 1').fill('10')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Held back').waitFor()
    await page.getByRole('button', { name: 'Save filter' }).click()
    await page.getByText('Filter saved').waitFor()
    await page.getByRole('button', { name: 'Add header' }).click()
    await page.getByLabel('Name of header 1').fill('X-Tenant')
    await page.getByLabel('Value of header 1').fill('acme-secret')
    await page.getByRole('button', { name: 'Save headers' }).click()
    await page.getByText('Headers saved').waitFor()
    await expectAccessible(page)
    await page.reload()
    await page.getByLabel('Name of header 1').waitFor()
    expect(await page.content()).not.toContain('acme-secret')
    expect(await page.getByLabel('Field 1').inputValue()).toBe('data.total')
    await emit(shop, 1, { total: 5 })
    await emit(shop, 1, { total: 50 })
    await arrived('/filtered', 2)
    const bodies = receivedAt('/filtered').map(({ body }) => body)
    expect(bodies[1]).toContain('50')
  })
})

describe('the event catalog', () => {
  it('shows the schema and a sample of all nine events', async () => {
    const shop = await harness().createOrganization()
    const page = await harness().open(shop.owner, shop.org_id, '/webhooks')
    await page.getByRole('link', { name: 'Event catalog' }).click()
    await page.getByRole('heading', { name: 'mdm.command.completed' }).waitFor()
    expect(await page.getByText('Sample', { exact: true }).count()).toBe(9)
    const samples = await page.locator('[aria-label^="Sample of"]').allTextContents()
    expect(samples).toHaveLength(9)
    for (const sample of samples) {
      const { data } = JSON.parse(sample) as { data: object }
      expect(Object.keys(data).length).toBeGreaterThan(1)
    }
    await expectAccessible(page)
  })
})
