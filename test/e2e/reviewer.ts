/** A member who decides flagged orders, several at a time, and changes some decisions. */
import type { ReviewPage } from '../../src/modules/reviews/index.ts'
import type { Decision } from '../../src/modules/reviews/tables.ts'
import { request, startClients } from './load.ts'
import { pause } from './program.ts'

/** By `subject_id`: the acknowledged label and the ones sent since then without an answer. */
export type Decided = Map<string, DecidedLabel>
type DecidedLabel = { acknowledged: Decision | undefined; pending: ReadonlySet<Decision> }

export const NOT_DECIDED: DecidedLabel = { acknowledged: undefined, pending: new Set() }

export type Account = { org_id: string; email: string; password: string }

const CONCURRENT_REVIEWS = 4
const PAUSE_MS = 50

/** @param url of the API of a service, including the version */
export async function signIn(url: string, { email, password }: Account): Promise<string> {
  const tokens = await call<{ access_token: string }>(url, undefined, 'auth/login', {
    email,
    password,
  })
  if (!tokens) throw new Error('the sign-in failed')
  return tokens.access_token
}

export type Member = { org_id: string; token: string }

export function startReviewer(
  url: string,
  member: Member,
  decided: Decided,
): { stop(): Promise<void> } {
  return startClients(1, async () => {
    await review(url, member, decided)
    await pause(PAUSE_MS)
    return true
  })
}

/** Decides several open reviews and changes one of the decisions. */
export async function review(
  url: string,
  { org_id, token }: Member,
  decided: Decided,
): Promise<void> {
  const decide = async (id: string, subjectId: string, decision: Decision): Promise<void> => {
    const before = decided.get(subjectId) ?? NOT_DECIDED
    decided.set(subjectId, { ...before, pending: new Set([...before.pending, decision]) })
    const answer = await call(url, token, `reviews/${id}/decision`, { org_id, decision })
    if (answer) decided.set(subjectId, { acknowledged: decision, pending: new Set() })
  }
  const query = `reviews?org_id=${org_id}&limit=${CONCURRENT_REVIEWS}`
  const open = (await call<ReviewPage>(url, token, query))?.reviews ?? []
  await Promise.all(
    open.map(({ id, subject_id }) => decide(id, subject_id, firstDecision(subject_id))),
  )
  const [first] = open
  if (first) await decide(first.id, first.subject_id, opposite[firstDecision(first.subject_id)])
}

/** Chooses the same decision for an order and its alerts, which are decided concurrently. */
const firstDecision = (subjectId: string): Decision =>
  subjectId.charCodeAt(subjectId.length - 1) % 2 === 0 ? 'confirmed_fraud' : 'legitimate'

const opposite = { confirmed_fraud: 'legitimate', legitimate: 'confirmed_fraud' } as const

async function call<Content>(
  url: string,
  token: string | undefined,
  path: string,
  body?: object,
): Promise<Content | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return await request<Content>(`${url.replace(/v1$/, 'console/api')}/${path}`, headers, body)
}
