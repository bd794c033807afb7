/** A member of the organisation who decides what is flagged, several at once, and at times changes it. */
import type { ReviewPage } from '../../src/modules/reviews/index.ts'
import type { Decision } from '../../src/platform/postgres/tables/reviews.ts'
import { startClients } from './load.ts'
import { pause } from './program.ts'

/** By `subject_id`: the label that was acknowledged, and those asked for since then in vain. */
export type Decided = Map<string, { told: Decision | undefined; asked: Set<Decision> }>

export type Account = { org_id: string; email: string; password: string }

const AT_ONCE = 4
const PAUSE_MS = 50
const TIMEOUT_MS = 15_000

/** @param url of a service, with the version of the API at its end */
export async function signIn(url: string, { email, password }: Account): Promise<string> {
  const tokens = await call<{ access_token: string }>(url, undefined, 'auth/login', {
    email,
    password,
  })
  if (!tokens) throw new Error('nobody could sign in')
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

/** Decides a few, and changes one of them. */
export async function review(
  url: string,
  { org_id, token }: Member,
  decided: Decided,
): Promise<void> {
  const decide = async (id: string, subjectId: string, decision: Decision): Promise<void> => {
    const labels = decided.get(subjectId) ?? { told: undefined, asked: new Set() }
    decided.set(subjectId, labels)
    labels.asked.add(decision)
    const answer = await call(url, token, `reviews/${id}/decision`, { org_id, decision })
    if (answer) decided.set(subjectId, { told: decision, asked: new Set() })
  }
  const query = `reviews?org_id=${org_id}&limit=${AT_ONCE}`
  const open = (await call<ReviewPage>(url, token, query))?.reviews ?? []
  await Promise.all(
    open.map(({ id, subject_id }) => decide(id, subject_id, firstDecision(subject_id))),
  )
  const [first] = open
  if (first) await decide(first.id, first.subject_id, opposite[firstDecision(first.subject_id)])
}

/** The same for the order and its alerts, which are decided at once. */
const firstDecision = (subjectId: string): Decision =>
  subjectId.charCodeAt(subjectId.length - 1) % 2 === 0 ? 'confirmed_fraud' : 'legitimate'

const opposite = { confirmed_fraud: 'legitimate', legitimate: 'confirmed_fraud' } as const

async function call<Content>(
  url: string,
  token: string | undefined,
  path: string,
  body?: object,
): Promise<Content | undefined> {
  try {
    const answer = await fetch(`${url.replace(/v1$/, 'console/api')}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { content } = (await answer.json()) as { content: Content }
    return answer.status === 200 ? content : undefined
  } catch {
    return undefined
  }
}
