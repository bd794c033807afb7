import { SecretDialog } from '../../components/index.ts'

type Props = { secret: string; onClose: () => void }

export const SigningSecret = ({ secret, onClose }: Props) => (
  <SecretDialog
    title="Your signing secret"
    secret={secret}
    what="signing secret"
    file="vigil-webhook-secret.txt"
    onClose={onClose}
  >
    <p>Your receiver verifies the signature of each delivery with it.</p>
  </SecretDialog>
)
