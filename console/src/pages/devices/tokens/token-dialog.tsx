import type { ListedToken } from '../../../../../src/modules/mdm/tokens/schema.ts'
import {
  CodeBlock,
  Copyable,
  Dialog,
  Facts,
  SecretDialog,
  Time,
} from '../../../components/index.ts'
import { QrCode } from '../../../components/qr.tsx'
import { useNames } from '../names.ts'
import { termText } from '../terms.ts'

/** @property isNew created just now, so that leaving it needs a confirmation */
type Props = { token: ListedToken; isNew: boolean; onClose: () => void }

export function TokenDialog({ token, isNew, onClose }: Props) {
  const names = useNames()
  const { policy_id, token_value, qr_content } = token
  if (token_value === null || qr_content === null) return null
  const title = `Enroll with ${names.policy(policy_id)}`
  if (isNew) {
    return (
      <SecretDialog
        title={title}
        secret={token_value}
        what="token"
        file="vigil-enrollment-token.txt"
        again="Owners and admins can show it while it is active."
        onClose={onClose}
      >
        <Enrollment token={token} content={qr_content} />
      </SecretDialog>
    )
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack">
        <Enrollment token={token} content={qr_content} value={token_value} />
      </div>
    </Dialog>
  )
}

type EnrollmentProps = { token: ListedToken; content: string; value?: string }

function Enrollment({ token, content, value }: EnrollmentProps) {
  const { management_mode, one_time, expires_at } = token
  return (
    <>
      <QrCode
        content={content}
        label="QR code of the enrollment token. Its content follows as text."
      />
      <p>
        {management_mode === 'fully_managed'
          ? 'On a new device or after a factory reset, tap the first screen six times and scan this code.'
          : 'On the device, open Settings > Google > Set up & restore > Set up your work profile, and scan this code or enter the token.'}
      </p>
      <Facts
        facts={[
          ['Mode', termText(management_mode)],
          ['Enrolls', one_time ? 'one device' : 'any number of devices'],
          ['Expires', <Time key="expires" at={expires_at} />],
          ...(value === undefined
            ? []
            : [['Token', <Copyable key="value" text={value} label="Copy token" />] as const]),
        ]}
      />
      <details>
        <summary>Content of the QR code</summary>
        <CodeBlock text={content} label="Content of the QR code" />
      </details>
    </>
  )
}
