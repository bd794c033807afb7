/** The OpenAPI document says what the server does, and stays compatible with what was published. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../src/platform/package-root.ts'
import { useHarness } from './harness.ts'
import {
  type OpenApiDocument,
  operationsOf,
  readDocument,
  type Schema,
  withoutReferences,
} from './support/document.ts'
import { REDOCLY_CONFIG, redocly } from './support/redocly.ts'
import { validatorOf } from './support/spoil.ts'
import { addFailedDelivery } from './support/webhooks.ts'

type Credential = 'secret_key' | 'any_key' | 'portal'

/**
 * The operations of the specification that are built so far: credential, and the open points that
 * the operation rests on.
 */
const OPERATIONS: Record<string, [credential: Credential, openPoints: string]> = {
  'POST /check': [
    'secret_key',
    'OP-5, OP-6, OP-7, OP-8, OP-18, OP-20, OP-37, OP-40, OP-41, OP-42, OP-43, OP-44, OP-45, OP-46',
  ],
  'POST /check/bulk': ['secret_key', 'OP-1, OP-5, OP-18, OP-20'],
  'GET /check/{id}': ['secret_key', 'OP-38'],
  'GET /check/sandbox': ['secret_key', 'OP-3'],
  'POST /check/phone/report': ['secret_key', 'OP-4, OP-18, OP-47'],
  'POST /profiles': ['secret_key', 'OP-10, OP-18, OP-37, OP-50'],
  'POST /orders': ['secret_key', 'OP-9, OP-10, OP-18, OP-20, OP-37, OP-48, OP-49'],
  'POST /orders/bulk': ['secret_key', 'OP-2, OP-9, OP-20'],
  'POST /cashier/actions': ['secret_key', 'OP-18, OP-23, OP-37, OP-48, OP-49, OP-51, OP-52, OP-53'],
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

const SCHEMES: Record<Credential, string> = {
  secret_key: 'api_key',
  any_key: 'api_key',
  portal: 'portal',
}

const harness = useHarness()
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
  it('lists the operations that are built, and no others', () => {
    const names = operations().map(({ name }) => name)
    expect(names.toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
  })

  it('says which credential each operation takes', () => {
    for (const { name, security } of operations()) {
      const [credential] = OPERATIONS[name] ?? []
      expect(security, name).toEqual([{ [SCHEMES[credential ?? 'portal']]: [] }])
    }
  })

  it('says which open points each operation rests on', () => {
    for (const { name, open_point } of operations()) {
      expect(open_point, name).toBe(OPERATIONS[name]?.[1])
    }
  })

  it('has both credentials of the specification', () => {
    expect(document().components.securitySchemes).toMatchObject({
      api_key: { type: 'apiKey', in: 'header', name: 'X-API-Key', 'x-open-point': 'OP-39' },
      portal: { type: 'http', scheme: 'bearer', 'x-open-point': 'OP-36' },
    })
  })

  it('OP-19: marks the rate limit of every operation as open', () => {
    for (const { name, responses } of operations()) {
      expect(JSON.stringify(responses['429']), name).toContain('"x-open-point":"OP-19"')
    }
  })

  it('OP-3, OP-6: marks the shapes that the specification leaves open', () => {
    const { SandboxCatalogue, CheckResult } = document().components.schemas
    expect(SandboxCatalogue).toMatchObject({ 'x-open-point': 'OP-3' })
    expect(CheckResult).toMatchObject({
      properties: { signals: { description: expect.stringContaining('OP-6') as string } },
    })
  })

  it('is OpenAPI 3.1 and starts where the API starts', () => {
    expect(document().openapi).toBe('3.1.0')
    expect(document().servers).toEqual([{ url: 'http://127.0.0.1:8080/v1' }])
  })

  it('wraps every success in the envelope', () => {
    for (const { name, responses } of operations()) {
      const { content } = responses['200'] as { content: Record<string, { schema: Schema }> }
      const { required, properties } = content['application/json']?.schema ?? {}
      expect(required, name).toEqual(['success', 'message', 'content'])
      expect(Object.keys(properties as Schema), name).toEqual(['success', 'message', 'content'])
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

  it('is served at /openapi.json to everybody, and /console/api is not in it', async () => {
    const { status, headers, body } = await harness().call({ method: 'GET', path: '/openapi.json' })
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(body).toEqual(JSON.parse(JSON.stringify(document())))
    expect(JSON.stringify(body)).not.toContain('/console')
  })
})

describe('the server', () => {
  it('asks for the credential that the document names', async () => {
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
      if (credential === 'secret_key') expect(await send({ key: keys.live_public }), name).toBe(403)
    }
  })

  it('has no operation under /v1 that the document does not list', () => {
    const listed = operations().map(({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'))
    const routes = harness().app.printRoutes({ commonPrefix: false, includeHooks: false })
    for (const route of routesIn(routes)) {
      if (route.startsWith('/v1')) expect(listed).toContain(route)
    }
    expect(routesIn(routes)).toContain('/v1/check')
  })
})

describe('Redocly', () => {
  it('finds nothing in the document, neither error nor warning', async () => {
    const { code, stdout } = await redocly(folder, ['lint', 'openapi.json', '--format=json'])
    const { problems } = JSON.parse(stdout) as {
      problems: { ruleId: string; message: string }[]
    }
    expect(problems.map(({ message }) => message)).toEqual([])
    expect(code).toBe(0)
  })

  it('finds no change that would break a client of the published document', async () => {
    const published = join(packageRoot(), 'docs', 'openapi.json')
    const { code, output } = await redocly(folder, ['diff', published, 'openapi.json'])
    expect(code, output).toBe(0)
  })

  it('would find a change that breaks a client', async () => {
    const changed = structuredClone(document()) as unknown as {
      components: { schemas: { CheckRequest: Schema } }
    }
    changed.components.schemas.CheckRequest['required'] = ['phone']
    writeFileSync(join(folder, 'changed.json'), JSON.stringify(changed))
    const { code, output } = await redocly(folder, ['diff', 'openapi.json', 'changed.json'])
    expect(code, output).toBe(1)
  })

  describe('against the running server', () => {
    let key = ''
    let token = ''
    let running: OpenApiDocument
    beforeAll(async () => {
      const { app, createTenant, call, signIn, stores } = harness()
      const { org_id, keys } = await createTenant()
      key = keys.live_secret
      token = await signIn(org_id)
      const body = { email: 'jane@gmail.com' }
      const { body: checked } = await call({ method: 'POST', path: '/v1/check', key, body })
      running = structuredClone(document())
      running.servers = [{ url: `${await app.listen({ host: '127.0.0.1', port: 0 })}/v1` }]
      const [id] = running.paths['/check/{id}']?.['get']?.parameters ?? []
      Object.assign(id ?? {}, { example: checked.content.check_id })
      running = withWebhooks(running, org_id, await addFailedDelivery(stores.db, org_id))
    })

    /** Calls every operation with the examples of the document. */
    const respect = async (name: string, described: OpenApiDocument) => {
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(described))
      const make = ['generate-arazzo', `${name}.json`, '-o', `${name}-calls.yaml`]
      const made = await redocly(folder, make)
      expect(made.code, made.output).toBe(0)
      const run = ['respect', `${name}-calls.yaml`, '--json-output', `${name}-report.json`]
      const input = JSON.stringify({ api_key: key, portal: token })
      return await redocly(folder, run, { REDOCLY_CLI_RESPECT_INPUT: input })
    }

    it('gets what the document promises, operation by operation', async () => {
      const { code, output } = await respect('running', running)
      expect(code, output).toBe(0)
      const report = readFileSync(join(folder, 'running-report.json'), 'utf8')
      for (const { name, path } of operations()) {
        const [start = ''] = path.split('{')
        expect(report, name).toContain(start)
      }
    })

    it('would notice an answer that is not what the document promises', async () => {
      const wrong = structuredClone(running)
      const { properties } = wrong.components.schemas['CheckResult'] ?? {}
      Object.assign(properties as Schema, { tier: { type: 'integer' } })
      expect((await respect('wrong', wrong)).code).toBe(1)
    })
  })
})

describe('/docs', () => {
  const get = async (path: string) => await harness().app.inject(path)

  it('loads from this server alone, and its policy allows nothing else', async () => {
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

  it('shows the document of this server and asks no validator elsewhere', async () => {
    const { body } = await get('/docs/static/swagger-initializer.js')
    expect(body).toMatch(/"?validatorUrl"?:\s*null/)
    const { body: text } = await get('/docs/json')
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document())))
  })
})

/** The document with an organisation, an endpoint and a delivery that are really there. */
function withWebhooks(
  described: OpenApiDocument,
  orgId: string,
  there: { endpoint_id: string; other_id: string; delivery_id: string },
): OpenApiDocument {
  const request = described.components.schemas['WebhookRequest'] ?? {}
  const [{ org_id: example = '' } = {}] = request['examples'] as { org_id?: string }[]
  const text = JSON.stringify(described).replaceAll(example, orgId)
  const changed = JSON.parse(text) as OpenApiDocument
  for (const [path, methods] of Object.entries(changed.paths)) {
    if (!path.startsWith('/webhooks')) continue
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      const ids: Record<string, string> = {
        org_id: orgId,
        id: method === 'delete' ? there.other_id : there.endpoint_id,
        deliveryId: there.delivery_id,
      }
      for (const one of parameters) Object.assign(one, { example: ids[one.name] })
    }
  }
  return changed
}

function* examplesIn(value: unknown): Generator<{ schema: Schema; example: unknown }> {
  if (typeof value !== 'object' || value === null) return
  const schema = value as Schema
  const { examples } = schema
  // Members of a schema may be called examples, too; those are schemas and not lists.
  if (Array.isArray(examples)) for (const example of examples) yield { schema, example }
  for (const [key, item] of Object.entries(schema)) {
    if (key !== 'examples' || !Array.isArray(item)) yield* examplesIn(item)
  }
}

/** Paths of a printed route tree, one per line: `├── /v1/check/:id (GET)`. */
function routesIn(printed: string): string[] {
  return printed
    .split('\n')
    .map((line) => /\/\S*(?= \()/.exec(line)?.[0])
    .filter((route) => route !== undefined)
}
