/** Errors of a policy during editing: its syntax immediately, its properties checked by the service. */
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { PolicyFaults } from '../../../../../../src/modules/mdm/browsing/schema.ts'
import { useSession } from '../../../../session/context.ts'
import { useOrg } from '../../../../shell/organization.ts'
import { type ParsedJson, parseJson, placeOf, type TextFault } from './json-text.ts'

export type Checked = {
  faults: readonly TextFault[]
  value: ParsedJson['value']
  isChecking: boolean
}

const PAUSE_MS = 350

export function useFaults(text: string): Checked {
  const session = useSession()
  const { id: org_id } = useOrg()
  const parsed = useMemo(() => parseJson(text), [text])
  const [checked, setChecked] = useState<{ text: string; faults: readonly TextFault[] }>()

  useEffect(() => {
    const { value } = parsed
    if (!value) return undefined
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const call = {
        method: 'POST' as const,
        path: '/console/api/mdm/policies/check',
        body: { org_id, policy_json: value },
        signal: abort.signal,
      }
      session.call<PolicyFaults>(call).then(
        ({ faults }) =>
          setChecked({
            text,
            faults: faults.map((fault) => ({ ...placeOf(text, fault.field), ...fault })),
          }),
        // The check is unavailable. Saving reports the errors.
        () => abort.signal.aborted || setChecked({ text, faults: [] }),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [parsed, org_id])

  if (parsed.faults.length > 0) return { ...parsed, isChecking: false }
  const isChecking = checked?.text !== text
  return { value: parsed.value, faults: isChecking ? [] : checked.faults, isChecking }
}
