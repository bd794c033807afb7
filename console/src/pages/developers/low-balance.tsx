/** The balance below which members are notified. */
import { useState } from 'preact/hooks'
import { useChange } from '../../api/read.ts'
import { Form, FormActions, TextField } from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'

const CREDITS = '/console/api/credits'

export function LowBalance({ level }: { level: number | null }) {
  const { id: org_id } = useOrg()
  const [text, setText] = useState(level === null ? '' : String(level))
  const low_balance_credits = text.trim() === '' ? null : Number(text)
  const change = useChange(
    () => ({
      method: 'PUT',
      path: `${CREDITS}/low-balance`,
      body: { org_id, low_balance_credits },
    }),
    { invalidates: [CREDITS, '/console/api/overview'], toast: 'The level is stored', quiet: true },
  )
  return (
    <Form onSubmit={() => change.mutate()} error={change.error}>
      <TextField
        label="Notify when fewer credits are left than"
        name="low_balance_credits"
        type="number"
        min={0}
        step="any"
        value={text}
        onChange={setText}
        hint="Empty: what was used in the last seven days. 0: no notification. Channels are chosen under Notifications."
      />
      <FormActions kind="plain" busy={change.isPending} disabled={low_balance_credits === level}>
        Store
      </FormActions>
    </Form>
  )
}
