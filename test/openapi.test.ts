/** The OpenAPI document matches the server and stays compatible with the published version. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAndroidManagement } from '../emulators/android-management/index.ts'
import { packageRoot } from '../src/platform/package-root.ts'
import { type Tenant, useHarness } from './harness.ts'
import {
  type OpenApiDocument,
  operationsOf,
  readDocument,
  type Schema,
  withoutReferences,
} from './support/document.ts'
import { addEdgeLogs, type EdgeLog, edgeLog } from './support/edge-logs.ts'
import { addMdmRecords, signUp } from './support/mdm-examples.ts'
import { withoutQuota } from './support/mdm-world.ts'
import { addCustomerPortal } from './support/portal-organization.ts'
import { addAppSubscriptions } from './support/push-apps.ts'
import { addPushApplication } from './support/push-examples.ts'
import { REDOCLY_CONFIG, redocly } from './support/redocly.ts'
import { routesOf } from './support/routes.ts'
import { validatorOf } from './support/schema-rules.ts'
import { addFailedDelivery } from './support/webhooks.ts'

type Credential = 'secret_key' | 'public_key' | 'any_key' | 'portal'

/**
 * The operations of the specification, each with its credential and the open points that it relies on.
 */
const OPERATIONS: Record<string, [credential: Credential, openPoints: string]> = {
  'POST /check': [
    'secret_key',
    'OP-5, OP-6, OP-7, OP-8, OP-18, OP-20, OP-37, OP-40, OP-41, OP-42, OP-43, OP-44, OP-45, OP-46, OP-164, OP-165, OP-166',
  ],
  'POST /check/bulk': ['secret_key', 'OP-1, OP-5, OP-18, OP-20'],
  'GET /check/{id}': ['secret_key', 'OP-38'],
  'GET /check/sandbox': ['secret_key', 'OP-3'],
  'POST /check/phone/report': ['secret_key', 'OP-4, OP-18, OP-47'],
  'POST /profiles': ['secret_key', 'OP-10, OP-18, OP-37, OP-50'],
  'POST /orders': ['secret_key', 'OP-9, OP-10, OP-18, OP-20, OP-37, OP-48, OP-49'],
  'POST /orders/bulk': ['secret_key', 'OP-2, OP-9, OP-20'],
  'POST /cashier/actions': ['secret_key', 'OP-18, OP-23, OP-37, OP-48, OP-49, OP-51, OP-52, OP-53'],
  'POST /edge/logs': [
    'secret_key',
    'OP-18, OP-20, OP-21, OP-37, OP-67, OP-68, OP-72, OP-74, OP-131, OP-145, OP-146, OP-148',
  ],
  'GET /edge/logs': ['portal', 'OP-15, OP-18, OP-63, OP-65, OP-75, OP-143, OP-145'],
  'GET /edge/logs/search': [
    'portal',
    'OP-13, OP-15, OP-18, OP-63, OP-65, OP-73, OP-75, OP-143, OP-144, OP-145',
  ],
  'GET /edge/errors': ['portal', 'OP-12, OP-18, OP-63, OP-65, OP-69, OP-75, OP-143, OP-144'],
  'GET /edge/overview': ['portal', 'OP-12, OP-63, OP-65, OP-66, OP-75, OP-143, OP-144'],
  'GET /edge/trends': ['portal', 'OP-14, OP-18, OP-63, OP-65, OP-75, OP-143, OP-144'],
  'POST /edge/devices/register': ['secret_key', 'OP-11, OP-18, OP-37, OP-68, OP-72, OP-147'],
  'POST /edge/devices/{device_id}/heartbeat': ['secret_key', 'OP-11, OP-38, OP-68, OP-72'],
  'GET /edge/devices': ['portal', 'OP-11, OP-12, OP-18, OP-63, OP-143'],
  'GET /edge/alerts': ['portal', 'OP-16, OP-70, OP-143, OP-171'],
  'POST /edge/alerts': ['portal', 'OP-16, OP-18, OP-37, OP-70, OP-73, OP-143, OP-171, OP-172'],
  'DELETE /edge/alerts': ['portal', 'OP-16, OP-38, OP-172'],
  'POST /rum/events': [
    'any_key',
    'OP-17, OP-18, OP-37, OP-39, OP-64, OP-67, OP-74, OP-128, OP-130, OP-146, OP-148',
  ],
  'GET /rum/usage': ['secret_key', 'OP-17, OP-39, OP-143'],
  'POST /mdm/enterprise/signup-url': ['portal', 'OP-18, OP-28, OP-37, OP-81, OP-84, OP-86'],
  'POST /mdm/enterprise': ['portal', 'OP-18, OP-28, OP-37, OP-81, OP-84, OP-86'],
  'GET /mdm/enterprise': ['portal', 'OP-28, OP-81, OP-84'],
  'GET /mdm/overview': ['portal', 'OP-28, OP-76, OP-84'],
  'GET /mdm/policies': ['portal', 'OP-28, OP-80, OP-84'],
  'POST /mdm/policies': ['portal', 'OP-18, OP-28, OP-37, OP-80, OP-84, OP-132'],
  'PATCH /mdm/policies/{policy_id}': ['portal', 'OP-18, OP-28, OP-37, OP-38, OP-80, OP-84, OP-132'],
  'GET /mdm/enrollment-tokens': ['portal', 'OP-28, OP-82, OP-84, OP-133'],
  'POST /mdm/enrollment-tokens': ['portal', 'OP-28, OP-37, OP-82, OP-84, OP-86, OP-133'],
  'GET /mdm/devices': ['portal', 'OP-18, OP-28, OP-29, OP-31, OP-76, OP-84'],
  'GET /mdm/devices/{device_id}': ['portal', 'OP-28, OP-29, OP-38, OP-76, OP-77, OP-78, OP-84'],
  'PATCH /mdm/devices/{device_id}': ['portal', 'OP-18, OP-28, OP-37, OP-38, OP-76, OP-84'],
  'DELETE /mdm/devices/{device_id}': ['portal', 'OP-28, OP-38, OP-76, OP-84, OP-163'],
  'POST /mdm/devices/{device_id}/commands': [
    'portal',
    'OP-18, OP-28, OP-37, OP-38, OP-77, OP-84, OP-163',
  ],
  'GET /mdm/groups': ['portal', 'OP-28, OP-77, OP-79, OP-84'],
  'POST /mdm/groups': ['portal', 'OP-18, OP-28, OP-37, OP-79, OP-80, OP-84'],
  'PATCH /mdm/groups/{group_id}': ['portal', 'OP-18, OP-28, OP-37, OP-38, OP-79, OP-84'],
  'DELETE /mdm/groups/{group_id}': ['portal', 'OP-28, OP-38, OP-79, OP-84'],
  'POST /mdm/groups/{group_id}/devices': ['portal', 'OP-18, OP-28, OP-37, OP-38, OP-79, OP-84'],
  'POST /mdm/groups/{group_id}/commands': [
    'portal',
    'OP-18, OP-28, OP-37, OP-38, OP-77, OP-84, OP-163',
  ],
  'GET /mdm/audit-log': ['portal', 'OP-18, OP-28, OP-78, OP-84'],
  'GET /mdm/audit-log/export.csv': ['portal', 'OP-78, OP-83, OP-84, OP-163'],
  'GET /mdm/reports/fleet-inventory.csv': ['portal', 'OP-76, OP-83, OP-84, OP-163'],
  'GET /mdm/reports/compliance-summary.csv': ['portal', 'OP-29, OP-83, OP-84, OP-163'],
  'POST /push-sdk/identity-token': ['secret_key', 'OP-18, OP-32, OP-37, OP-88, OP-96'],
  'POST /push-sdk/messages': [
    'secret_key',
    'OP-18, OP-33, OP-37, OP-88, OP-89, OP-90, OP-91, OP-93, OP-94, OP-102',
  ],
  'POST /sdk/push/subscriptions': ['public_key', 'OP-95, OP-158, OP-159'],
  'POST /sdk/push/subscriptions/{subscription_id}': ['public_key', 'OP-38, OP-95, OP-158'],
  'POST /sdk/push/subscriptions/{subscription_id}/identify': ['public_key', 'OP-38, OP-96, OP-158'],
  'POST /sdk/push/subscriptions/{subscription_id}/logout': ['public_key', 'OP-38, OP-158'],
  'POST /sdk/push/subscriptions/{subscription_id}/unsubscribe': [
    'public_key',
    'OP-38, OP-104, OP-158',
  ],
  'POST /sdk/push/subscriptions/{subscription_id}/receipts': ['public_key', 'OP-38, OP-97, OP-158'],
  'GET /sdk/push/messages/{message_id}': ['secret_key', 'OP-38, OP-160'],
  'POST /sdk/portals/{portal_id}/links': ['secret_key', 'OP-18, OP-38, OP-179'],
  'GET /webhooks': ['portal', 'OP-27'],
  'POST /webhooks': ['portal', 'OP-18, OP-27, OP-37, OP-55, OP-59, OP-60'],
  'GET /webhooks/{id}': ['portal', 'OP-27, OP-38'],
  'PATCH /webhooks/{id}': ['portal', 'OP-18, OP-27, OP-37, OP-38, OP-57, OP-59'],
  'DELETE /webhooks/{id}': ['portal', 'OP-38, OP-61'],
  'POST /webhooks/{id}/roll-secret': ['portal', 'OP-27, OP-37, OP-38, OP-58'],
  'GET /webhooks/{id}/deliveries': ['portal', 'OP-25, OP-38, OP-60, OP-61'],
  'POST /webhooks/{id}/test': ['portal', 'OP-25, OP-37, OP-38, OP-55, OP-56'],
  'POST /webhooks/deliveries/{deliveryId}/retry': ['portal', 'OP-25, OP-26, OP-37, OP-38'],
}

const SECURITY: Record<Credential, Record<string, string[]>[]> = {
  secret_key: [{ api_key: [] }],
  public_key: [{ public_key: [] }],
  any_key: [{ api_key: [] }, { public_key_in_query: [] }],
  portal: [{ portal: [] }],
}

/** Paths of operations that return a file. */
const FILES = /\.csv$/

const emulator = await startAndroidManagement({ port: 0 })
afterAll(async () => await emulator.close())
const harness = useHarness({
  settings: { ...withoutQuota(), VIGIL_ANDROID_MANAGEMENT_URL: emulator.url },
})
const document = () => readDocument(harness().app)
const operations = () => operationsOf(document())

/** Folder of the Redocly runs, with the served document in it. */
const folder = mkdtempSync(join(tmpdir(), 'vigil-openapi-'))
const served = join(folder, 'openapi.json')
beforeAll(() => {
  writeFileSync(served, JSON.stringify(document(), null, 2))
  copyFileSync(REDOCLY_CONFIG, join(folder, 'redocly.yaml'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the document', () => {
  it('lists all operations and no others', () => {
    const names = operations().map(({ name }) => name)
    expect(names.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
  })

  it('states the credential of each operation', () => {
    for (const { name, security } of operations()) {
      const [credential] = OPERATIONS[name] ?? []
      expect(security, name).toEqual(SECURITY[credential ?? 'portal'])
    }
  })

  it('states the open points of each operation', () => {
    for (const { name, open_point } of operations()) {
      expect(open_point, name).toBe(OPERATIONS[name]?.[1])
    }
  })

  it('has both credentials of the specification, and a public key in the URL', () => {
    expect(document().components.securitySchemes).toMatchObject({
      api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', 'x-open-point': 'OP-39' },
      public_key_in_query: {
        type: 'apiKey',
        in: 'query',
        name: 'api_key',
        'x-open-point': 'OP-64',
      },
      portal: { type: 'http', scheme: 'bearer', 'x-open-point': 'OP-36' },
    })
  })

  it('lists every operation under one heading with a description', () => {
    const headings = document().tags.map(({ name }) => name)
    const used = new Set<string>()
    for (const { name, tags } of operations()) {
      expect(tags, name).toHaveLength(1)
      for (const tag of tags) used.add(tag)
    }
    expect([...used].toSorted()).toEqual(headings.toSorted())
  })

  it('OP-18, OP-120: states the size limit of every body, and which can be compressed', () => {
    const { body_max_bytes, edge_batch_max_bytes, rum_batch_max_bytes } = harness().config
    const json = ['application/json']
    const strictOf = (max_bytes: number) => ({
      types: json,
      takes_gzip: false,
      max_bytes,
      is_lenient: false,
    })
    const bulk = { ...strictOf(body_max_bytes), is_lenient: true }
    const lenient = { types: json, takes_gzip: true, is_lenient: true }
    const others: Record<string, unknown> = {
      'POST /check': strictOf(262_144),
      'POST /check/bulk': bulk,
      'POST /check/phone/report': strictOf(131_072),
      'POST /orders': strictOf(262_144),
      'POST /orders/bulk': bulk,
      'POST /edge/devices/register': strictOf(131_072),
      'POST /mdm/policies': strictOf(589_824),
      'PATCH /mdm/policies/{policy_id}': strictOf(589_824),
      'POST /mdm/groups/{group_id}/devices': strictOf(129_536),
      'PATCH /mdm/devices/{device_id}': strictOf(81_920),
      'POST /push-sdk/messages': strictOf(5_215_536),
      'POST /edge/logs': { ...lenient, max_bytes: edge_batch_max_bytes },
      'POST /rum/events': {
        ...lenient,
        types: [...json, 'text/plain'],
        max_bytes: rum_batch_max_bytes,
      },
    }
    for (const { name, body, body_rules } of operations()) {
      if (body) expect(body_rules, name).toEqual(others[name] ?? strictOf(65_536))
    }
  })

  it('OP-19: marks the rate limit of every operation as open', () => {
    for (const { name, responses } of operations()) {
      expect(JSON.stringify(responses['429']), name).toContain('"x-open-point":"OP-19"')
    }
  })

  it('OP-3, OP-6: marks the shapes that the specification leaves open', () => {
    const { SandboxCatalog, CheckResult } = document().components.schemas
    expect(SandboxCatalog).toMatchObject({ 'x-open-point': 'OP-3' })
    expect(CheckResult).toMatchObject({
      properties: { signals: { description: expect.stringContaining('OP-6') as string } },
    })
  })

  it('is OpenAPI 3.1 and names the address of the API', () => {
    expect(document().openapi).toBe('3.1.0')
    expect(document().servers).toEqual([{ url: 'http://127.0.0.1:8080/v1' }])
  })

  it('wraps every success in the envelope', () => {
    for (const { name, path, responses } of operations()) {
      const { content } = responses['200'] as { content: Record<string, { schema: Schema }> }
      if (FILES.test(path)) continue
      const { required, properties } = content['application/json']?.schema ?? {}
      expect(required, name).toEqual(['success', 'message', 'content'])
      expect(Object.keys(properties as Schema), name).toEqual(['success', 'message', 'content'])
    }
  })

  it('OP-83: describes files as CSV only, with the header line as the example', () => {
    const files = operations().filter(({ path }) => FILES.test(path))
    expect(files).toHaveLength(3)
    for (const { name, responses } of files) {
      const { content } = responses['200'] as { content: Record<string, { schema: Schema }> }
      expect(Object.keys(content), name).toEqual(['text/csv'])
      const { type, examples } = content['text/csv']?.schema ?? {}
      expect({ type, examples }, name).toEqual({
        type: 'string',
        examples: [expect.stringMatching(/^id,[a-z_,]+\r\n$/)],
      })
    }
  })

  it('has an example for every body, and every example is valid', () => {
    const found = [...examplesIn(withoutReferences(document(), document()))]
    expect(found.length).toBeGreaterThan(10)
    for (const { schema, example } of found) {
      const validate = validatorOf(schema)
      expect(
        validate(example),
        `${JSON.stringify(example)}: ${JSON.stringify(validate.errors)}`,
      ).toBe(true)
    }
    for (const { name, body } of operations()) {
      if (body) expect(body['examples'], name).toBeInstanceOf(Array)
    }
  })

  it('is served publicly at /openapi.json, without /console/api', async () => {
    const { status, headers, body } = await harness().call({ method: 'GET', path: '/openapi.json' })
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(body).toEqual(JSON.parse(JSON.stringify(document())))
    expect(JSON.stringify(body)).not.toContain('/console/api')
  })
})

describe('the server', () => {
  it('requires the credential that the document names', async () => {
    const { keys } = await harness().createTenant()
    for (const { name, method, path } of operations()) {
      const [credential] = OPERATIONS[name] ?? []
      const send = async (sent: { key?: string; token?: string }) => {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
        const url = path.replaceAll(/\{\w+\}/g, 'x')
        const request = { method, path: url, ...sent, ...body }
        return (await harness().call(request)).status
      }
      const isPortal = credential === 'portal'
      expect(await send({}), name).toBe(401)
      expect(await send(isPortal ? { key: keys.live_secret } : { token: 'x' }), name).toBe(401)
      if (credential === 'public_key') expect(await send({ key: keys.live_secret }), name).toBe(403)
      if (credential === 'secret_key') expect(await send({ key: keys.live_public }), name).toBe(403)
    }
  })

  it('OP-64: accepts a key in the URL only where the document says so, and only a public key', async () => {
    const { keys } = await harness().createTenant()
    for (const { name, method, path, security } of operations()) {
      const url = path.replaceAll(/\{\w+\}/g, 'x')
      const send = async (key: string) => {
        const request = { method, path: `${url}?api_key=${key}` }
        return (await harness().call({ ...request, ...(method !== 'GET' && { body: {} }) })).status
      }
      const takesOne = security.some((scheme) => 'public_key_in_query' in scheme)
      expect(await send(keys.live_public), name).toBe(takesOne ? 400 : 401)
      expect(await send(keys.live_secret), name).toBe(takesOne ? 403 : 401)
    }
  })

  it('has no operation under /v1 or /sdk that the document does not list', () => {
    const listed = operations().map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    )
    // Only browsers send OPTIONS requests, for preflight checks.
    const routes = routesOf(harness().app).filter((route) =>
      /^(?!OPTIONS )\w+ \/(v1|sdk)\//.test(route),
    )
    expect(routes.toSorted()).toEqual(listed.toSorted())
  })
})

describe('Redocly', () => {
  it('finds no errors or warnings in the document', async () => {
    const { code, stdout } = await redocly(folder, ['lint', 'openapi.json', '--format=json'])
    const { problems } = JSON.parse(stdout) as {
      problems: { ruleId: string; message: string }[]
    }
    expect(problems.map(({ message }) => message)).toEqual([])
    expect(code).toBe(0)
  })

  it('finds no breaking change from the published document', async () => {
    const published = join(packageRoot(), 'docs', 'openapi.json')
    const { code, output } = await redocly(folder, ['diff', published, 'openapi.json'])
    expect(code, output).toBe(0)
  })

  it('finds a breaking change', async () => {
    const changed = structuredClone(document()) as unknown as {
      components: { schemas: { CheckRequest: Schema } }
    }
    changed.components.schemas.CheckRequest['required'] = ['phone']
    writeFileSync(join(folder, 'changed.json'), JSON.stringify(changed))
    const { code, output } = await redocly(folder, ['diff', 'openapi.json', 'changed.json'])
    expect(code, output).toBe(1)
  })

  describe('against the running server', () => {
    let inputs: Record<string, string>
    let running: OpenApiDocument
    beforeAll(async () => {
      const { app, createTenant, signIn } = harness()
      const { org_id, keys } = await createTenant()
      const portal = await signIn(org_id)
      inputs = { api_key: keys.live_secret, public_key: keys.live_public, portal }
      running = withRecords(document(), org_id, await addRecords(org_id, keys, portal))
      const url = await app.listen({ host: '127.0.0.1', port: 0 })
      running.servers = [{ url: `${url}/v1` }]
      for (const methods of Object.values(running.paths)) {
        for (const operation of Object.values(methods)) {
          if (operation.servers) operation.servers = [{ url }]
        }
      }
    })

    /** Calls every operation with the examples of the document. */
    const respect = async (name: string, described: OpenApiDocument) => {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(described))
      const generate = ['generate-arazzo', `${name}.json`, '-o', `${name}-calls.yaml`]
      const generated = await redocly(folder, generate)
      expect(generated.code, generated.output).toBe(0)
      const run = ['respect', `${name}-calls.yaml`, '--json-output', `${name}-report.json`]
      const input = JSON.stringify(inputs)
      return await redocly(folder, run, { REDOCLY_CLI_RESPECT_INPUT: input })
    }

    it('every operation responds as the document says', { timeout: 180_000 }, async () => {
      const { code, output } = await respect('running', running)
      expect(code, output).toBe(0)
      const report = readFileSync(join(folder, 'running-report.json'), 'utf8')
      for (const { name, path } of operations()) {
        const [start = ''] = path.split('{')
        expect(report, name).toContain(start)
      }
      expect(report, 'response of a read').toContain(FINGERPRINT)
    })

    it('a response that differs from the document is detected', async () => {
      const wrong = structuredClone(running)
      const { properties } = wrong.components.schemas['CheckResult'] ?? {}
      Object.assign(properties as Schema, { tier: { type: 'integer' } })
      expect((await respect('wrong', wrong)).code).toBe(1)
    })
  })
})

describe('/docs', () => {
  const get = async (path: string) => await harness().app.inject(path)

  it('loads only from this server, and its policy allows nothing else', async () => {
    const page = await get('/docs/')
    expect(page.statusCode).toBe(200)
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'self';/)
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|upgrade-insecure/)
    const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = '']) => link)
    expect(links.length).toBeGreaterThan(4)
    for (const link of links) {
      const url = new URL(link, 'http://localhost/docs/')
      expect(url.host, link).toBe('localhost')
      const { statusCode, headers, body } = await get(url.pathname)
      expect(statusCode, link).toBe(200)
      if (String(headers['content-type']).includes('css')) {
        expect(body, link).not.toMatch(/@import|url\(['"]?(https?:)?\/\//)
      }
    }
  })

  it('shows the document of this server and uses no external validator', async () => {
    const { body } = await get('/docs/static/swagger-initializer.js')
    expect(body).toMatch(/"?validatorUrl"?:\s*null/)
    const { body: text } = await get('/docs/json')
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document())))
  })
})

type Records = {
  /** Identifiers of records by the name of the operation. */
  ids: Record<string, string>
  /** Organization ids by the name of the operation, where another organization is needed. */
  organizations: Record<string, string>
  /** Request bodies by the name of their schema. */
  bodies: Record<string, object>
}

async function addRecords(orgId: string, keys: Tenant['keys'], token: string): Promise<Records> {
  const key = keys.live_secret
  const { stores, services, call } = harness()
  const body = { email: 'jane@gmail.com' }
  const { body: checked } = await call({ method: 'POST', path: '/v1/check', key, body })
  const rule = { name: 'Any', condition: {}, threshold: 1, window_minutes: 1 }
  const alert = await services.telemetry.alerts.create({ org_id: orgId, user_id: null }, rule)
  const webhooks = await addFailedDelivery(stores.db, orgId)
  await addEdgeLogs(stores.analytics.clickhouse, readableLogs(orgId))
  const installation = { harness: harness(), emulator }
  const mdm = await addMdmRecords(installation, { org_id: orgId, token })
  const founded = await addOrganization(token)
  const ids = {
    'GET /check/{id}': checked.content.check_id,
    'DELETE /edge/alerts': alert.id,
    'GET /webhooks/{id}': webhooks.endpoint_id,
    'PATCH /webhooks/{id}': webhooks.endpoint_id,
    'DELETE /webhooks/{id}': webhooks.other_id,
    'POST /webhooks/{id}/roll-secret': webhooks.endpoint_id,
    'GET /webhooks/{id}/deliveries': webhooks.endpoint_id,
    'POST /webhooks/{id}/test': webhooks.endpoint_id,
    'POST /webhooks/deliveries/{deliveryId}/retry': webhooks.delivery_id,
    'POST /sdk/portals/{portal_id}/links': (await addCustomerPortal(harness(), orgId)).portal_id,
    ...mdm.ids,
  }
  const signedUp = await signUp(installation, { org_id: founded, token })
  const { application_id } = await addPushApplication(harness(), orgId)
  const apps = await addAppSubscriptions(harness(), application_id, keys)
  return {
    ids: { ...ids, ...apps.ids },
    bodies: {
      ...apps.bodies,
      ...mdm.bodies,
      EnterpriseRequest: signedUp,
      IdentityTokenRequest: { application_id, external_user_id: 'customer-1041' },
      PushMessageRequest: { application_id, all: true, title: 'Open on Sunday' },
    },
    // An organization has only one enterprise, and the main organization already has it.
    organizations: {
      'POST /mdm/enterprise/signup-url': await addOrganization(token),
      'POST /mdm/enterprise': founded,
    },
  }
}

/** Creates another organization of the same owner. */
async function addOrganization(token: string): Promise<string> {
  const { services, createTenant } = harness()
  const { org_id } = await createTenant()
  const claims = await services.accounts.verifyAccess(token)
  await services.accounts.setMember(org_id, claims?.user_id ?? '', 'owner')
  return org_id
}

const FINGERPRINT = 'ab'.repeat(16)

/** A log entry with every field, and one with the required fields only. */
function readableLogs(org_id: string): EdgeLog[] {
  const common = { org_id, received_at_ms: Date.now() }
  const full = edgeLog({
    ...common,
    level: 'error',
    message: 'Payment terminal does not answer',
    category: 'payment',
    environment: 'production',
    error_type: 'TimeoutError',
    error_code: 'ETIMEDOUT',
    error_stack: 'TimeoutError\n    at pay (pay.js:10:5)',
    error_fingerprint: FINGERPRINT,
    data: '{"terminal":"T-7"}',
    tags: ['shop-4'],
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    span_id: '00f067aa0ba902b7',
  })
  return [full, edgeLog({ ...common, message: 'Payment terminal' })]
}

/** Replaces the example ids of the document by those of existing records. */
function withRecords(
  described: OpenApiDocument,
  orgId: string,
  { ids, organizations, bodies }: Records,
): OpenApiDocument {
  const request = described.components.schemas['WebhookRequest'] ?? {}
  const [{ org_id: example = '' } = {}] = request['examples'] as { org_id?: string }[]
  const text = JSON.stringify(described).replaceAll(example, orgId)
  const changed = JSON.parse(text) as OpenApiDocument
  for (const [path, methods] of Object.entries(changed.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { parameters = [], security } = operation
      // One scheme is enough; the generated calls would need the credentials of all.
      operation.security = security.slice(0, 1)
      const name = `${method.toUpperCase()} ${path}`
      const id = ids[name]
      const org = organizations[name] ?? orgId
      for (const parameter of parameters) {
        if (parameter.name === 'org_id') Object.assign(parameter, { example: org })
        const isId = parameter.in === 'path' || parameter.name === 'id'
        if (isId && id !== undefined) Object.assign(parameter, { example: id })
      }
    }
  }
  for (const [name, body] of Object.entries(bodies)) {
    Object.assign(changed.components.schemas[name] ?? {}, { examples: [body] })
  }
  return changed
}

function* examplesIn(value: unknown): Generator<{ schema: Schema; example: unknown }> {
  if (typeof value !== 'object' || value === null) return
  const schema = value as Schema
  const { examples } = schema
  // A member of a schema can be named examples too; it is then a schema, not an array.
  if (Array.isArray(examples)) for (const example of examples) yield { schema, example }
  for (const [key, item] of Object.entries(schema)) {
    if (key !== 'examples' || !Array.isArray(item)) yield* examplesIn(item)
  }
}
