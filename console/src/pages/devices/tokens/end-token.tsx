import type { ListedToken } from '../../../../../src/modules/mdm/tokens/schema.ts'
import { useChange } from '../../../api/read.ts'
import { ConfirmButton, Time } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { MDM_QUERIES } from '../names.ts'

/** @property policy name of the policy of the token */
export function EndToken({ token, policy }: { token: ListedToken; policy: string }) {
  const { id: org_id } = useOrg()
  const end = useChange(
    () => ({
      method: 'POST',
      path: `/console/api/mdm/enrollment-tokens/${token.id}/end`,
      body: { org_id },
    }),
    { quiet: true, invalidates: MDM_QUERIES, toast: 'Enrollment token ended' },
  )
  return (
    <ConfirmButton
      size="small"
      label="End"
      aria-label={`End the token for ${policy}`}
      title="End enrollment token"
      action="End token"
      change={end}
    >
      <p>
        No further device can enroll with this token for <strong>{policy}</strong>, which was
        created <Time at={token.created_at} as="age" />. Devices that have enrolled with it stay
        enrolled. This cannot be undone.
      </p>
    </ConfirmButton>
  )
}
