/**
 * The unsaved draft of a policy. It survives a reload and a new sign-in, but only for the same user and
 * in the same tab, because policies can contain passwords.
 */
import { useLayoutEffect, useState } from 'preact/hooks'
import type { Policy } from '../../../../../../src/modules/mdm/policies/schema.ts'
import { useMe, useOrg } from '../../../../shell/organization.ts'
import { jsonText } from './json-text.ts'

export type Draft = Pick<Policy, 'name' | 'description' | 'management_mode'> & {
  text: string
  /** `updated_at` and version of the policy that the draft is based on. */
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

export function isChanged(draft: Draft, policy: Policy): boolean {
  const saved = draftOf(policy)
  return EDITED.some((name) => draft[name] !== saved[name])
}

const EDITED = ['name', 'description', 'management_mode', 'text'] as const

export function useDraft(policy: Policy) {
  const { user_id } = useMe()
  const { id: org_id } = useOrg()
  const key = `vigil:policy-draft:${user_id}:${org_id}:${policy.id}`
  const [restored] = useState(() => read(key))
  const [edited, setEdited] = useState<Draft | undefined>(restored)
  const isUnsaved = edited !== undefined && isChanged(edited, policy)

  // A layout effect, so that what is on the screen is stored when the page is reloaded.
  useLayoutEffect(() => {
    if (isUnsaved) write(key, edited)
    else sessionStorage.removeItem(key)
  }, [edited, isUnsaved])

  return {
    draft: edited ?? draftOf(policy),
    /** Whether the draft was restored when the page was opened. */
    isRestored: restored !== undefined && edited !== undefined,
    change: (changed: Partial<Draft>) =>
      setEdited((before) => ({ ...(before ?? draftOf(policy)), ...changed })),
    discard: () => setEdited(undefined),
  }
}

function read(key: string): Draft | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | null) ?? undefined
  } catch {
    return undefined
  }
}

function write(key: string, draft: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // The storage is full. The draft stays on the page, and an outdated copy must not be restored.
    sessionStorage.removeItem(key)
  }
}
