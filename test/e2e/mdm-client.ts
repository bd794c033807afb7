/** The management of devices as a member of an organisation uses it over HTTP, and a first fleet. */
import type { AndroidControl } from '../../emulators/android-management/index.ts'
import { pause } from './program.ts'
import type { Member } from './reviewer.ts'

export type Reply<Content> =
  | { kind: 'done'; content: Content }
  /** Answered that it was not done. */
  | { kind: 'refused'; status: number; message: string }
  /** Not answered, or with an error that leaves open what was done. */
  | { kind: 'lost'; message: string }

export type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE'

const TIMEOUT_MS = 60_000
const TRY_AGAIN_MS = 200
const TRIES = 100

/** @param path behind `/v1/mdm/`, with or without a query */
export async function askMdm<Content>(
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
    const told = `${message} ${JSON.stringify(content)}`
    if (answer.status >= 500) return { kind: 'lost', message: told }
    return { kind: 'refused', status: answer.status, message: told }
  } catch (error) {
    return { kind: 'lost', message: String(error) }
  }
}

/** Until it is done: for what may be asked for more than once. @throws when it never is */
export async function insist<Content>(ask: () => Promise<Reply<Content>>): Promise<Content> {
  let told = ''
  for (let tries = 0; tries < TRIES; tries += 1) {
    const reply = await ask()
    if (reply.kind === 'done') return reply.content
    told = reply.message
    await pause(TRY_AGAIN_MS)
  }
  throw new Error(`it was never done: ${told}`)
}

export type Mode = 'fully_managed' | 'work_profile'
export type Policy = { id: string; management_mode: Mode; version: number }
export type Token = { id: string; token_value: string; qr_content: string; management_mode: Mode }

export type Setup = { enterprise: string; policies: Policy[]; tokens: Token[] }

const MODES = ['fully_managed', 'fully_managed', 'work_profile'] as const

/** An enterprise, policies of both modes, and a token of each. Nothing goes wrong meanwhile. */
export async function setUp(url: string, member: Member, control: AndroidControl): Promise<Setup> {
  const enterprise = await signUp(url, member, control)
  const policies: Policy[] = []
  const tokens: Token[] = []
  for (const [index, management_mode] of MODES.entries()) {
    const body = { name: `Policy ${index}`, management_mode, policy_json: policyJson(index) }
    const policy = await insist<Policy>(() => askMdm(url, member, ['POST', 'policies'], body))
    policies.push(policy)
    const wish = { policy_id: policy.id }
    tokens.push(await insist<Token>(() => askMdm(url, member, ['POST', 'enrollment-tokens'], wish)))
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
  const signup = await insist<{ signup_url_name: string }>(() =>
    askMdm(url, member, ['POST', 'enterprise/signup-url'], { callback_url }),
  )
  const { redirect_url } = control.completeSignup(signup.signup_url_name)
  const enterprise_token = new URL(redirect_url).searchParams.get('enterpriseToken')
  const body = { signup_url_name: signup.signup_url_name, enterprise_token }
  const made = await insist<{ name: string }>(() =>
    askMdm(url, member, ['POST', 'enterprise'], body),
  )
  return made.name
}

/** Two settings with a rule that grants time, all others without. @param minutes makes it another one */
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
