import { Time } from '../../components/index.ts'

/** How long ago, in one line. */
export const Ago = ({ at }: { at: string | null }) => (
  <span style={{ whiteSpace: 'nowrap' }}>
    <Time at={at} as="age" />
  </span>
)
