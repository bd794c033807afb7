/** `vigil logs tail`: prints logs while they are received. */
import { createTail, logRecordOf, type Tail } from '../modules/edge/index.ts'
import type { Mode } from '../platform/owner.ts'
import { requireOrganization, withAccountsOf } from './command.ts'
import { requireOrg } from './configuration/session.ts'
import { CommandError, type Io, type Options } from './io.ts'
import { readQuery } from './logs-query.ts'
import { findLogin } from './remote/login-file.ts'
import { lineOf, skipped, tailRemotely } from './remote/tail.ts'
import { whenReaderStops } from './stop-signal.ts'

export type TailOptions = Options & { org?: string; mode: Mode; limit?: number }

/** The operator may watch for as long as the terminal is open. */
const ALWAYS = new Date(8.64e15)
const WAIT_MS = 60_000

export async function tailLogs(
  io: Io,
  { org: named, mode, limit = Number.POSITIVE_INFINITY, json }: TailOptions,
  q?: string,
): Promise<void> {
  const notes = q === undefined ? [] : readQuery(q).notes
  for (const { text } of notes) io.stderr(`Note: ${text}`)
  const login = findLogin(io)
  if (login) return await tailRemotely(io, login, { org: named, mode, limit, json, q })
  const org = requireOrg(named)
  await withAccountsOf(io, org, async (accounts, { db, clock, log }) => {
    await requireOrganization(accounts, org)
    const tail = createTail({ db, clock, log })
    const end = whenReaderStops(() => void tail.close())
    try {
      await print(tail)
    } finally {
      end()
      await tail.close()
    }
  })

  async function print(tail: Tail): Promise<void> {
    const subscription = tail.watch({ org_id: org, mode }, { q }, ALWAYS)
    if (!subscription) throw new CommandError('The logs cannot be followed')
    let left = limit
    while (left > 0 && !subscription.is_closed) {
      const { dropped, entries } = (await subscription.next(WAIT_MS)) ?? { dropped: 0, entries: [] }
      if (dropped > 0) io.stderr(skipped(dropped))
      for (const entry of entries.slice(0, left)) io.stdout(lineOf(logRecordOf(entry), json))
      left -= entries.length
    }
  }
}
