/**
 * Members who roll API keys and delete log alert rules that fire, and record the answers. A rolled key is
 * notified from the audit log, and the end of an alert in the transaction that deletes its rule.
 */
import { notify } from '../../src/modules/notifications/index.ts'
import { withDatabase } from './books.ts'
import { request, startClients } from './load.ts'
import { pause } from './program.ts'
import type { Member } from './reviewer.ts'

export type Causes = {
  /** Acknowledged rolls, as the audit log shows them. */
  rolls: { from: string; to: string }[]
  /** Ids of rules of which the deletion was acknowledged. */
  deleted: string[]
  /** Rules that are not deleted yet. */
  rules: string[]
}

const ROLLING_CLIENTS = 3
const PAUSE_MS = 60
const TIMEOUT_MS = 15_000
const KEY_TYPES = ['test_secret', 'test_public', 'live_public'] as const

/** Creates rules and reports that they fire as their evaluation does, which would take minutes. */
export async function addFiringRules(
  { url, data_dir }: { url: string; data_dir: string },
  { org_id, token }: Member,
  count: number,
): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) {
    const rule = { name: `Rule ${index}`, condition: { level: 'fatal' }, threshold: 1_000_000_000 }
    const body = { org_id, ...rule, window_minutes: 1440 }
    const headers = { authorization: `Bearer ${token}` }
    const created = await request<{ id: string }>(`${url}/edge/alerts`, headers, body)
    if (!created) throw new Error('creating a rule failed')
    ids.push(created.id)
  }
  await withDatabase(data_dir, async (db) => {
    const started_at = new Date()
    const firing = ids.map((id, index) => ({
      org_id,
      subject: 'log_alert' as const,
      key: id,
      severity: 'critical' as const,
      is_lasting: true,
      title: `Log alert "Rule ${index}" fires`,
      link: '/logs/alerts',
      rule_id: id,
      started_at,
    }))
    await db.transaction().execute(async (tx) => await notify(tx, firing))
  })
  return ids
}

/** @param rules_max number of rules that this load deletes */
export function startCauses(
  url: string,
  member: Member,
  causes: Causes,
  rules_max: number,
): { stop(): Promise<void> } {
  const rules = causes.rules.splice(0, rules_max)
  const rolling = startClients(ROLLING_CLIENTS, async (client) => {
    const type = KEY_TYPES[client] ?? 'test_secret'
    await rollKey(url, member, causes, type)
    await pause(PAUSE_MS)
    return true
  })
  const deleting = startClients(1, async () => {
    const id = rules.shift()
    if (id !== undefined && (await deleteRule(url, member, id))) causes.deleted.push(id)
    await pause(PAUSE_MS)
    return true
  })
  return {
    stop: async () => {
      await Promise.all([rolling.stop(), deleting.stop()])
    },
  }
}

type ListedKey = {
  key_id: string
  type: string
  key_hint: string
  revoked_at: string | null
}

/** The key is read each time, because a roll without an answer may have replaced it. */
async function rollKey(url: string, member: Member, causes: Causes, type: string): Promise<void> {
  const { org_id, token } = member
  const headers = { authorization: `Bearer ${token}` }
  const keys = `${url.replace(/v1$/, 'console/api')}/keys`
  const listed = (await request<ListedKey[]>(`${keys}?org_id=${org_id}`, headers)) ?? []
  const old = listed.find((key) => key.type === type && key.revoked_at === null)
  if (!old) return
  const body = { org_id, key_id: old.key_id }
  const rolled = await request<{ key_id: string; key: string }>(`${keys}/roll`, headers, body)
  if (rolled) causes.rolls.push({ from: old.key_hint, to: rolled.key.slice(-HINT_CHARS) })
}

/** The characters of a key that its hint shows. */
const HINT_CHARS = 4

async function deleteRule(url: string, { org_id, token }: Member, id: string): Promise<boolean> {
  return await fetch(`${url}/edge/alerts?org_id=${org_id}&id=${id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    ({ status }) => status === 200,
    () => false,
  )
}
