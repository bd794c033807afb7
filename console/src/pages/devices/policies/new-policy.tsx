/** A new policy: from the baseline of its mode, or from JSON that is pasted. */
import { useState } from 'preact/hooks'
import type { CreatePolicy, Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { useChange } from '../../../api/read.ts'
import { Actions, Button, CheckField, Empty, Form, Section } from '../../../components/index.ts'
import { useGo } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { DevicesPage } from '../frame.tsx'
import { CHANGED } from '../names.ts'
import { JsonEditor } from './editor/json-editor.tsx'
import { useFaults } from './editor/use-faults.ts'
import { PolicyFields } from './fields.tsx'

const EMPTY = '{\n  "playStoreMode": "BLACKLIST"\n}'

export default function NewPolicyPage() {
  const { is_admin } = useOrg()
  return (
    <DevicesPage isInner title="New policy" up={{ to: '/devices/policies', label: 'Policies' }}>
      <Section title="New policy" hideTitle>
        {is_admin ? (
          <NewPolicy />
        ) : (
          <Empty title="Owners and admins of the organisation write policies" />
        )}
      </Section>
    </DevicesPage>
  )
}

function NewPolicy() {
  const { id: org_id } = useOrg()
  const go = useGo()
  const [fields, setFields] = useState<Pick<Policy, 'name' | 'description' | 'management_mode'>>({
    name: '',
    description: '',
    management_mode: 'fully_managed',
  })
  const [isBaseline, setBaseline] = useState(true)
  const [text, setText] = useState(EMPTY)
  const { faults, value, isChecking } = useFaults(text)
  const create = useChange<CreatePolicy, Policy>(
    (body) => ({ method: 'POST', path: '/v1/mdm/policies', query: { org_id }, body }),
    {
      quiet: true,
      changes: CHANGED,
      done: 'Policy created',
      onDone: ({ id }) => go(`/devices/policies/${id}`),
    },
  )
  const isReady = isBaseline || (value !== undefined && faults.length === 0)
  const submit = () => {
    if (!isReady) return
    create.mutate({ ...fields, ...(!isBaseline && value && { policy_json: value }) })
  }
  return (
    <Form onSubmit={submit} error={create.error}>
      <PolicyFields
        fields={fields}
        onChange={(changed) => setFields((before) => ({ ...before, ...changed }))}
      />
      <CheckField
        label="Begin with the baseline of the mode"
        hint="A screen lock, Play Protect, no debugging, updates at night; it can be changed afterwards."
        checked={isBaseline}
        onChange={setBaseline}
      />
      {!isBaseline && (
        <JsonEditor
          label="policy_json"
          value={text}
          onInput={setText}
          faults={faults}
          isChecking={isChecking}
        />
      )}
      <Actions>
        <Button type="submit" kind="primary" busy={create.isPending} disabled={!isReady}>
          Create policy
        </Button>
      </Actions>
    </Form>
  )
}
