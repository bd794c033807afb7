/** Calls the API of device management as a member of an organization, and sets up a first fleet. */
import type { AndroidControl } from '../../emulators/android-management/index.ts'
import { pause } from './program.ts'
import type { Member } from './reviewer.ts'

export type Reply<Content> =
  | { kind: 'done'; content: Content }
  /** The response says that nothing was done. */
  | { kind: 'refused'; status: number; message: string }
  /** No response, or an error that leaves open what was done. */
  | { kind: 'lost'; message: string }

export type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE'

const TIMEOUT_MS = 60_000
const RETRY_MS = 200
const ATTEMPTS_MAX = 100

/** @param path relative to `/v1/mdm/`, with or without a query */
export async function callMdm<Content>(
  url: string,
  { org_id, token }: Member,
  [verb, path]: readonly [verb: Verb, path: string],
  body?: object,
): Promise<Reply<Content>> {
  try {
    const join = path.includes('?') ? '&' : '?'
    const answer = await fetch(`${url}/mdm/${path}${join}org_id=${org_id}`, {
      method: verb,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { content, message } = (await answer.json()) as { content: Content; message: string }
    if (answer.status === 200) return { kind: 'done', content }
    const text = `${message} ${JSON.stringify(content)}`
    if (answer.status >= 500) return { kind: 'lost', message: text }
    return { kind: 'refused', status: answer.status, message: text }
  } catch (error) {
    return { kind: 'lost', message: String(error) }
  }
}

/** Repeats an idempotent request until it succeeds. @throws after the last attempt */
export async function retry<Content>(call: () => Promise<Reply<Content>>): Promise<Content> {
  let message = ''
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const reply = await call()
    if (reply.kind === 'done') return reply.content
    message = reply.message
    await pause(RETRY_MS)
  }
  throw new Error(`it never succeeded: ${message}`)
}

export type Mode = 'fully_managed' | 'work_profile'
export type Policy = {
  id: string
  management_mode: Mode
  version: number
  /** As of its creation. */
  policy_json: unknown
}
export type Token = { id: string; token_value: string; qr_content: string; management_mode: Mode }

export type Setup = { enterprise: string; policies: Policy[]; tokens: Token[] }

const MODES = ['fully_managed', 'fully_managed', 'work_profile'] as const

/** Creates an enterprise, policies of both modes, and a token for each, while there are no faults. */
export async function setUp(url: string, member: Member, control: AndroidControl): Promise<Setup> {
  const enterprise = await signUp(url, member, control)
  const policies: Policy[] = []
  const tokens: Token[] = []
  for (const [index, management_mode] of MODES.entries()) {
    const body = { name: `Policy ${index}`, management_mode, policy_json: policyJson(index) }
    const policy = await retry<Policy>(() => callMdm(url, member, ['POST', 'policies'], body))
    policies.push(policy)
    const request = { policy_id: policy.id }
    tokens.push(
      await retry<Token>(() => callMdm(url, member, ['POST', 'enrollment-tokens'], request)),
    )
  }
  return { enterprise, policies, tokens }
}

/** @returns the name of the enterprise at the provider */
export async function signUp(
  url: string,
  member: Member,
  control: Pick<AndroidControl, 'completeSignup'>,
): Promise<string> {
  const callback_url = 'https://console.example/connected'
  const signup = await retry<{ signup_url_name: string }>(() =>
    callMdm(url, member, ['POST', 'enterprise/signup-url'], { callback_url }),
  )
  const { redirect_url } = control.completeSignup(signup.signup_url_name)
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken')
  const body = { signup_url_name: signup.signup_url_name, enterprise_token }
  const enterprise = await retry<{ name: string }>(() =>
    callMdm(url, member, ['POST', 'enterprise'], body),
  )
  return enterprise.name
}

/** Two settings have an enforcement rule with a grace period. @param minutes distinguishes documents */
export const policyJson = (minutes: number): Record<string, unknown> => ({
  playStoreMode: 'BLACKLIST',
  maximumTimeToLock: String((minutes + 1) * 60_000),
  statusReportingSettings: { softwareInfoEnabled: true },
  policyEnforcementRules: ['cameraAccess', 'applications'].map((settingName) => ({
    settingName,
    blockAction: { blockAfterDays: 3 },
    wipeAction: { wipeAfterDays: 10 },
  })),
})
