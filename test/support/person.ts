/** A user with a password, who signs in and can have a second factor. */
import { sql } from 'kysely'
import { codeAt, stepAt } from '../../src/modules/accounts/second-factor/totp.ts'
import type { Role } from '../../src/modules/accounts/tables.ts'
import type { Harness } from '../harness.ts'
import { readSecret } from './authenticator-app.ts'

const PASSWORD = 'correct horse battery staple'
const ROOT = '/console/api/me/second-factor'

export type Person = {
  user_id: string
  email: string
  token: string
  password: string
  /** @returns the access token of another session */
  signIn(): Promise<string>
  /** Sets one up in the session of `token`. */
  setUpFactor(): Promise<void>
  /** A code of the next period, because that of this one confirms the second factor. */
  nextCode(): string
  /** Makes all proofs of the user older. */
  ageProof(minutes: number): Promise<void>
}

export async function createPerson(harness: Harness, orgId: string, role: Role): Promise<Person> {
  const { accounts } = harness.services
  const email = `${harness.stores.newId(new Date())}@vigil.test`
  const created = await accounts.createUser({ email, password: PASSWORD })
  if ('refused' in created) throw new Error(created.refused)
  const { user_id } = created
  await accounts.setMember(orgId, user_id, role)
  const signIn = async () => {
    const tokens = await accounts.signIn(email, PASSWORD)
    return tokens?.access_token ?? ''
  }
  const token = await signIn()
  let secret: Buffer = Buffer.alloc(0)
  return {
    user_id,
    email,
    token,
    password: PASSWORD,
    signIn,
    setUpFactor: async () => {
      const body = { password: PASSWORD }
      const begun = await harness.post<{ secret: string }>(`${ROOT}/begin`, body, { token })
      secret = readSecret(begun.body.content.secret)
      const code = codeAt(secret, stepAt(new Date()))
      const confirmed = await harness.post(`${ROOT}/confirm`, { code }, { token })
      if (confirmed.status !== 200) throw new Error(confirmed.body.message)
    },
    nextCode: () => codeAt(secret, stepAt(new Date()) + 1),
    ageProof: async (minutes) => {
      await sql`update sessions set factor_at = factor_at - make_interval(mins => ${minutes})
        where user_id = ${user_id}`.execute(harness.stores.db)
    },
  }
}
