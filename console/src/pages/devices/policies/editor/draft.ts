/**
 * What was written and not saved, kept in this tab so that neither a reload nor the end of a session
 * loses it. Of its own user only, and no longer than the tab is open: policies may hold passwords.
 */
import { useEffect, useState } from 'preact/hooks'
import type { Policy } from '../../../../../../src/modules/mdm/policies/schema.ts'
import { useMe, useOrg } from '../../../../shell/organization.ts'
import { jsonText } from './json-text.ts'

export type Draft = Pick<Policy, 'name' | 'description' | 'management_mode'> & {
  text: string
  /** `updated_at` and version of the policy that it was begun from. */
  based_on: string
  version: number
}

export const draftOf = (policy: Policy): Draft => ({
  name: policy.name,
  description: policy.description,
  management_mode: policy.management_mode,
  text: jsonText(policy.policy_json),
  based_on: policy.updated_at,
  version: policy.version,
})

/** Whether there is something in it that the policy has not. */
export function isChanged(draft: Draft, policy: Policy): boolean {
  const { name, description, management_mode, text } = draftOf(policy)
  return (
    draft.text !== text ||
    draft.name !== name ||
    draft.description !== description ||
    draft.management_mode !== management_mode
  )
}

export type DraftUse = {
  draft: Draft
  /** It was there when the page was opened. */
  isOld: boolean
  change: (changed: Partial<Draft>) => void
  /** Back to the policy as it is, or to another one. */
  discard: (policy?: Policy) => void
}

export function useDraft(policy: Policy): DraftUse {
  const { user_id } = useMe()
  const { id: org_id } = useOrg()
  const key = `vigil:policy-draft:${user_id}:${org_id}:${policy.id}`
  const [found] = useState(() => read(key))
  const [written, setWritten] = useState<Draft | undefined>(found)
  const draft = written ?? draftOf(policy)
  const isWorth = written !== undefined && isChanged(written, policy)

  useEffect(() => {
    if (isWorth) keep(key, written)
    else sessionStorage.removeItem(key)
  }, [written, isWorth])

  return {
    draft,
    isOld: found !== undefined && written !== undefined,
    change: (changed) => setWritten((before) => ({ ...(before ?? draftOf(policy)), ...changed })),
    discard: (other) => setWritten(other && draftOf(other)),
  }
}

function read(key: string): Draft | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | null) ?? undefined
  } catch {
    return undefined
  }
}

function keep(key: string, draft: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // There is no room for it: it stays on the page, and an older one would be another text.
    sessionStorage.removeItem(key)
  }
}
