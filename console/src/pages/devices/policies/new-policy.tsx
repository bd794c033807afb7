import { useState } from 'preact/hooks'
import type { CreatePolicy, Policy } from '../../../../../src/modules/mdm/policies/schema.ts'
import { CheckField, Empty, Form, FormActions, Page, Section } from '../../../components/index.ts'
import { useGo } from '../../../shell/links.tsx'
import { useOrg } from '../../../shell/organization.ts'
import { useMdmChange } from '../names.ts'
import { TestModeNotice } from '../tabs.tsx'
import { JsonEditor } from './editor/json-editor.tsx'
import { useFaults } from './editor/use-faults.ts'
import { type Fields, PolicyFields } from './fields.tsx'
import { PlayStoreNotice } from './play-store-notice.tsx'

const EMPTY = '{\n  "playStoreMode": "BLACKLIST"\n}'

export default function NewPolicyPage() {
  const { is_admin } = useOrg()
  return (
    <Page title="New policy" up={{ to: '/devices/policies', label: 'Policies' }}>
      <TestModeNotice />
      <Section title="New policy" hideTitle>
        {is_admin ? <NewPolicy /> : <Empty title="Only owners and admins can create policies" />}
      </Section>
    </Page>
  )
}

function NewPolicy() {
  const go = useGo()
  const [fields, setFields] = useState<Fields>({
    name: '',
    description: '',
    management_mode: 'fully_managed',
  })
  const [isBaseline, setBaseline] = useState(true)
  const [text, setText] = useState(EMPTY)
  const { value, ...checked } = useFaults(text)
  const create = useMdmChange<CreatePolicy, Policy>(
    (body) => ({ method: 'POST', path: '/v1/mdm/policies', body }),
    { toast: 'Policy created', onSuccess: ({ id }) => go(`/devices/policies/${id}`) },
  )
  const isReady = isBaseline || (value !== undefined && checked.faults.length === 0)
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
        label="Start with the baseline for this mode"
        hint="The baseline requires a screen lock and Play Protect, blocks debugging and updates devices at night. You can edit it later."
        checked={isBaseline}
        onChange={setBaseline}
      />
      {!isBaseline && (
        <>
          <JsonEditor label="policy_json" value={text} onChange={setText} {...checked} />
          {value && <PlayStoreNotice policy={value} />}
        </>
      )}
      <FormActions busy={create.isPending} disabled={!isReady}>
        Create policy
      </FormActions>
    </Form>
  )
}
