/**
 * One test for each scenario of the two acceptance files that CAMARA publishes with SIM Swap 2.1.0,
 * named after the tag of the scenario.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CamaraEmulator, type CamaraScenario, example, startCamara } from './camara.ts'

const ajv = new Ajv()
formats.default(ajv)

/** The response schemas of the API description, with `nullable` as JSON Schema has it. */
const isSimSwapInfo = ajv.compile({
  type: 'object',
  required: ['latestSimChange'],
  properties: {
    latestSimChange: { type: 'string', format: 'date-time', nullable: true },
    monitoredPeriod: { type: 'integer' },
  },
})
const isCheckSimSwapInfo = ajv.compile({
  type: 'object',
  required: ['swapped'],
  properties: { swapped: { type: 'boolean' } },
})
const isErrorInfo = ajv.compile({
  type: 'object',
  required: ['status', 'code', 'message'],
  properties: {
    status: { type: 'integer' },
    code: { type: 'string' },
    message: { type: 'string', minLength: 10 },
  },
})

const ALL_SCOPES = 'openid dpv:FraudPreventionAndDetection sim-swap:check sim-swap:retrieve-date'
const NOW = new Date('2026-02-01T12:00:00.000Z')
const SWAPPED_5_HOURS_AGO = '+346661113301'
const SWAPPED_300_HOURS_AGO = '+346661113302'
const NEVER_SWAPPED = '+346661113303'
const NO_SIM_CARD = '+346661113304'
const NOT_SUPPORTED = '+346661113305'
const SWAPPED_5000_HOURS_AGO = '+346661113306'
const NOT_FOUND = '+346661119999'
const TWO_LEGGED = 'Bearer two-legged'
const THREE_LEGGED = 'Bearer three-legged'

const scenario: CamaraScenario = {
  clients: [{ client_id: 'app', client_secret: 'secret' }],
  tokens: [
    { access_token: 'two-legged', scope: ALL_SCOPES },
    { access_token: 'three-legged', scope: 'sim-swap', phone_number: SWAPPED_5_HOURS_AGO },
    { access_token: 'only-check', scope: 'sim-swap:check' },
    { access_token: 'expired', scope: ALL_SCOPES, expired: true },
  ],
  phones: {
    [SWAPPED_5_HOURS_AGO]: { activated: 20_000, last_swap: 5 },
    [SWAPPED_300_HOURS_AGO]: { activated: 20_000, last_swap: 300 },
    [NEVER_SWAPPED]: { activated: '2020-05-04T03:02:01.000Z' },
    [NO_SIM_CARD]: {},
    [NOT_SUPPORTED]: { applicable: false },
    [SWAPPED_5000_HOURS_AGO]: { activated: 20_000, last_swap: 5_000 },
  },
}

let camara: CamaraEmulator

beforeAll(async () => {
  camara = await startCamara({ port: 0, scenario, now: () => NOW })
})

beforeEach(() => camara.setScenario(scenario))

afterAll(() => camara.close())

type Call = { body?: unknown; authorization?: string | null; correlator?: string }

async function call(operation: 'check' | 'retrieve-date', { body, ...rest }: Call) {
  const authorization = rest.authorization === undefined ? TWO_LEGGED : rest.authorization
  const response = await fetch(`${camara.sim_swap_url}/${operation}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-correlator': rest.correlator ?? 'b4333c46-49c0',
      ...(authorization === null ? {} : { authorization }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body ?? {}),
  })
  return { response, status: response.status, body: await response.json() }
}

const check = (call_: Call) => call('check', call_)
const retrieve = (call_: Call) => call('retrieve-date', call_)
const about = (phoneNumber: string, maxAge?: number): Call => ({
  body: maxAge === undefined ? { phoneNumber } : { phoneNumber, maxAge },
})

type Answer = Awaited<ReturnType<typeof call>>

function expectSuccess(answer: Answer, isBody: ValidateFunction, body: unknown) {
  expect(answer).toMatchObject({ status: 200, body })
  expect(isBody(answer.body), JSON.stringify(isBody.errors)).toBe(true)
}

function expectError(answer: Answer, status: number, code: string) {
  expect(answer).toMatchObject({ status, body: { status, code } })
  expect(isErrorInfo(answer.body), JSON.stringify(isErrorInfo.errors)).toBe(true)
  expect(answer.response.headers.get('x-correlator')).toBe('b4333c46-49c0')
}

describe('checkSimSwap', () => {
  test('check_sim_swap_1_generic_success_scenario', async () => {
    const answer = await check({ ...about(SWAPPED_5_HOURS_AGO), correlator: 'a-Z0_9:;./<>{}' })
    expectSuccess(answer, isCheckSimSwapInfo, {})
    expect(answer.response.headers.get('content-type')).toBe('application/json')
    expect(answer.response.headers.get('x-correlator')).toBe('a-Z0_9:;./<>{}')
  })

  test('check_sim_swap_2_valid_sim_swap_no_max_age', async () => {
    const byBody = await check(about(SWAPPED_5_HOURS_AGO))
    const byToken = await check({ authorization: THREE_LEGGED })
    expectSuccess(byBody, isCheckSimSwapInfo, { swapped: true })
    expectSuccess(byToken, isCheckSimSwapInfo, { swapped: true })
  })

  test('check_sim_swap_3_valid_sim_swap_max_age', async () => {
    for (const hours of [260, 120, 24, 12]) {
      camara.setScenario({ ...scenario, phones: { '+34666': { last_swap: hours } } })
      const answer = await check(about('+34666', hours))
      expectSuccess(answer, isCheckSimSwapInfo, { swapped: true })
    }
  })

  test('check_sim_swap_4_more_than_240_hours', async () => {
    const answer = await check(about(SWAPPED_300_HOURS_AGO))
    expectSuccess(answer, isCheckSimSwapInfo, { swapped: false })
  })

  test('check_sim_swap_5_out_of_max_age', async () => {
    const answer = await check(about(SWAPPED_300_HOURS_AGO, 299))
    expectSuccess(answer, isCheckSimSwapInfo, { swapped: false })
  })

  test('check_sim_swap_6_no_sim_swap_no_max_age', async () => {
    const answer = await check(about(NEVER_SWAPPED))
    expectSuccess(answer, isCheckSimSwapInfo, { swapped: false })
  })

  test('check_sim_swap_7_no_sim_swap_with_max_age', async () => {
    for (const hours of [260, 120, 24, 12]) {
      camara.setScenario({ ...scenario, phones: { '+34666': { activated: hours } } })
      const answer = await check(about('+34666', hours - 1))
      expectSuccess(answer, isCheckSimSwapInfo, { swapped: false })
    }
  })

  test('check_sim_swap_401.1_no_authorization_header', async () => {
    const answer = await check({ ...about(NEVER_SWAPPED), authorization: null })
    expectError(answer, 401, 'UNAUTHENTICATED')
  })

  test('check_sim_swap_401.2_expired_access_token', async () => {
    const answer = await check({ ...about(NEVER_SWAPPED), authorization: 'Bearer expired' })
    expectError(answer, 401, 'UNAUTHENTICATED')
  })

  test('check_sim_swap_401.3_invalid_access_token', async () => {
    const answer = await check({ ...about(NEVER_SWAPPED), authorization: 'Bearer made-up' })
    expectError(answer, 401, 'UNAUTHENTICATED')
  })

  test('check_sim_swap_400.1_invalid_max_age', async () => {
    for (const maxAge of ['240', 1.5, 0, -1, null]) {
      const answer = await check({ body: { phoneNumber: NEVER_SWAPPED, maxAge } })
      expectError(answer, 400, 'INVALID_ARGUMENT')
    }
  })

  test('check_sim_swap_400.2_invalid_max_age_value', async () => {
    expectError(await check(about(NEVER_SWAPPED, 100_000)), 400, 'OUT_OF_RANGE')
    expectError(await check(about(NEVER_SWAPPED, 2_401)), 400, 'OUT_OF_RANGE')
    expectSuccess(await check(about(NEVER_SWAPPED, 2_400)), isCheckSimSwapInfo, { swapped: false })
  })

  test('check_sim_swap_400.3_max_age_out_of_monitored_period', async () => {
    camara.setScenario({ ...scenario, monitored_period_days: 30 })
    expectError(await check(about(NEVER_SWAPPED, 721)), 400, 'OUT_OF_RANGE')
    expectSuccess(await check(about(NEVER_SWAPPED, 720)), isCheckSimSwapInfo, { swapped: false })
  })

  test('check_sim_swap_C02.01_phone_number_not_schema_compliant', async () => {
    for (const phoneNumber of ['346661113334', '+0346661', '+34', `+${'1'.repeat(16)}`, 5, null]) {
      expectError(await check({ body: { phoneNumber } }), 400, 'INVALID_ARGUMENT')
    }
  })

  test('check_sim_swap_C02.02_phone_number_not_found', async () => {
    expectError(await check(about(NOT_FOUND)), 404, 'IDENTIFIER_NOT_FOUND')
  })

  test('check_sim_swap_C02.03_unnecessary_phone_number', async () => {
    const answer = await check({ ...about(SWAPPED_5_HOURS_AGO), authorization: THREE_LEGGED })
    expectError(answer, 422, 'UNNECESSARY_IDENTIFIER')
  })

  test('check_sim_swap_C02.04_missing_phone_number', async () => {
    expectError(await check({ body: { maxAge: 24 } }), 422, 'MISSING_IDENTIFIER')
  })

  test('check_sim_swap_C02.05_phone_number_not_supported', async () => {
    expectError(await check(about(NOT_SUPPORTED)), 422, 'SERVICE_NOT_APPLICABLE')
  })
})

describe('retrieveSimSwapDate', () => {
  test('retrieve_sim_swap_date_1_generic_success_scenario', async () => {
    const answer = await retrieve({ ...about(SWAPPED_5_HOURS_AGO), correlator: 'trace-1' })
    expectSuccess(answer, isSimSwapInfo, {})
    expect(answer.response.headers.get('content-type')).toBe('application/json')
    expect(answer.response.headers.get('x-correlator')).toBe('trace-1')
  })

  test('retrieve_sim_swap_date_2_valid_sim_swap', async () => {
    const swapped = { latestSimChange: '2026-02-01T07:00:00.000Z' }
    expectSuccess(await retrieve(about(SWAPPED_5_HOURS_AGO)), isSimSwapInfo, swapped)
    expectSuccess(await retrieve({ authorization: THREE_LEGGED }), isSimSwapInfo, swapped)
  })

  test('retrieve_sim_swap_date_3_no_sim_swap_returns_activation_date', async () => {
    const activated = { latestSimChange: '2020-05-04T03:02:01.000Z' }
    expectSuccess(await retrieve(about(NEVER_SWAPPED)), isSimSwapInfo, activated)
  })

  test('retrieve_sim_swap_date_4_sim_never_associated', async () => {
    const answer = await retrieve(about(NO_SIM_CARD))
    expectSuccess(answer, isSimSwapInfo, { latestSimChange: null })
  })

  test('retrieve_sim_swap_date_5_no_sim_swap_or_activation_date_due_to_legal_constrain', async () => {
    camara.setScenario({ ...scenario, monitored_period_days: 120 })
    const shown = await retrieve(about(SWAPPED_5000_HOURS_AGO))
    expectSuccess(shown, isSimSwapInfo, { latestSimChange: null, monitoredPeriod: 120 })
    camara.setScenario({ ...scenario, monitored_period_days: 120, tell_monitored_period: false })
    const hidden = await retrieve(about(SWAPPED_5000_HOURS_AGO))
    expectSuccess(hidden, isSimSwapInfo, { latestSimChange: null })
    expect(hidden.body).not.toHaveProperty('monitoredPeriod')
  })

  test('retrieve_sim_swap_date_401.1_no_authorization_header', async () => {
    const answer = await retrieve({ ...about(NEVER_SWAPPED), authorization: null })
    expectError(answer, 401, 'UNAUTHENTICATED')
  })

  test('retrieve_sim_swap_date_401.2_expired_access_token', async () => {
    const answer = await retrieve({ ...about(NEVER_SWAPPED), authorization: 'Bearer expired' })
    expectError(answer, 401, 'UNAUTHENTICATED')
  })

  test('retrieve_sim_swap_date_401.3_invalid_access_token', async () => {
    const answer = await retrieve({ ...about(NEVER_SWAPPED), authorization: 'Bearer made-up' })
    expectError(answer, 401, 'UNAUTHENTICATED')
  })

  test('retrieve_sim_swap_date_C02.01_phone_number_not_schema_compliant', async () => {
    for (const phoneNumber of ['346661113334', '+0346661', '', {}]) {
      expectError(await retrieve({ body: { phoneNumber } }), 400, 'INVALID_ARGUMENT')
    }
  })

  test('retrieve_sim_swap_date_C02.02_phone_number_not_found', async () => {
    expectError(await retrieve(about(NOT_FOUND)), 404, 'IDENTIFIER_NOT_FOUND')
  })

  test('retrieve_sim_swap_date_C02.03_unnecessary_phone_number', async () => {
    const answer = await retrieve({ ...about(SWAPPED_5_HOURS_AGO), authorization: THREE_LEGGED })
    expectError(answer, 422, 'UNNECESSARY_IDENTIFIER')
  })

  test('retrieve_sim_swap_date_C02.04_missing_phone_number', async () => {
    expectError(await retrieve({ body: {} }), 422, 'MISSING_IDENTIFIER')
  })

  test('retrieve_sim_swap_date_C02.05_phone_number_not_supported', async () => {
    expectError(await retrieve(about(NOT_SUPPORTED)), 422, 'SERVICE_NOT_APPLICABLE')
  })
})

const features = fileURLToPath(new URL('../../shared/data/camara/', import.meta.url))

test.runIf(existsSync(features))('every tag of the acceptance files has a test', () => {
  const source = readFileSync(fileURLToPath(import.meta.url), 'utf8')
  const files = readdirSync(features).filter((file) => file.endsWith('.feature'))
  const text = files.map((file) => readFileSync(`${features}/${file}`, 'utf8')).join('\n')
  const tags = [...text.matchAll(/^ *@(\S+)$/gm)].map((match) => match[1] ?? '')
  expect(tags.length).toBeGreaterThanOrEqual(31)
  expect(tags.filter((tag) => !source.includes(`test('${tag}'`))).toEqual([])
})

describe('beyond the acceptance files', () => {
  test('a token without the scope of the operation is refused', async () => {
    const authorization = 'Bearer only-check'
    const refused = await retrieve({ ...about(NEVER_SWAPPED), authorization })
    expectError(refused, 403, 'PERMISSION_DENIED')
    expect((await check({ ...about(NEVER_SWAPPED), authorization })).status).toBe(200)
  })

  test('a body that is not a JSON object is an invalid argument', async () => {
    for (const body of ['{', '[]', '"+346661113301"']) {
      expectError(await check({ body }), 400, 'INVALID_ARGUMENT')
    }
  })

  test('a correlator that does not match its pattern is an invalid argument and not echoed', async () => {
    const answer = await check({ ...about(NEVER_SWAPPED), correlator: 'no spaces allowed' })
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_ARGUMENT' } })
    expect(answer.response.headers.get('x-correlator')).toBeNull()
  })

  test('faults 429 and 500 have the bodies of the API', async () => {
    camara.setScenario({ ...scenario, fault: '429' })
    expectError(await check(about(NEVER_SWAPPED)), 429, 'TOO_MANY_REQUESTS')
    camara.setScenario({ ...scenario, fault: '500' })
    expectError(await check(about(NEVER_SWAPPED)), 500, 'INTERNAL')
  })

  test('the example is a valid scenario', () => {
    expect(() => camara.setScenario(structuredClone(example))).not.toThrow()
  })

  test('an invalid scenario is refused with a sentence that names the member', () => {
    const bad = { ...scenario, phones: { '+34666': { last_swap: 'yesterday' } } }
    expect(() => camara.setScenario(bad)).toThrow(
      'camara scenario: phones["+34666"].last_swap must match format "date-time"',
    )
  })
})
