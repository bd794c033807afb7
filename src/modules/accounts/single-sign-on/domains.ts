/** Domains of e-mail addresses by which people find their provider, added by owners with a proof in DNS. */
import type { Clock } from '../../../platform/clock.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import { lockOrganization } from '../store.ts'
import type { ProveDomain } from './domain-proof.ts'
import { deleteDomain, insertDomain, listDomains } from './store.ts'

export type DomainAdded = 'done' | 'unproved' | 'unreachable' | 'taken' | 'too_many'

export type SignInDomains = {
  /** @param domain in lower case */
  addDomain(orgId: string, domain: string, by: string): Promise<DomainAdded>
  /** @returns false when the organization does not have it */
  removeDomain(orgId: string, domain: string, by: string): Promise<boolean>
}

type Options = { db: Database; clock: Clock; newId: NewId; prove: ProveDomain }

export const DOMAINS_MAX = 50

export function createSignInDomains({ db, clock, newId, prove }: Options): SignInDomains {
  const audit = async (tx: Db, orgId: string, by: string, action: string, target: string) => {
    const at = clock.now()
    const entry = { id: newId(at), at, actor_user_id: by, target }
    await insertAudit(tx, orgId, { ...entry, action: `single_sign_on.${action}` })
  }
  return {
    addDomain: async (orgId, domain, by) => {
      const proof = await prove(domain, orgId)
      if (!proof.known) return 'unreachable'
      if (!proof.value) return 'unproved'
      return await db.transaction().execute(async (tx) => {
        await lockOrganization(tx, orgId)
        const domains = await listDomains(tx, orgId)
        if (domains.includes(domain)) return 'done'
        if (domains.length >= DOMAINS_MAX) return 'too_many'
        if (!(await insertDomain(tx, orgId, domain))) return 'taken'
        await audit(tx, orgId, by, 'domain_added', domain)
        return 'done'
      })
    },
    removeDomain: async (orgId, domain, by) =>
      await db.transaction().execute(async (tx) => {
        if (!(await deleteDomain(tx, orgId, domain))) return false
        await audit(tx, orgId, by, 'domain_removed', domain)
        return true
      }),
  }
}
