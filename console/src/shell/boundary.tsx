/** A page that breaks leaves the menu standing, and the next page gets its chance. */
import { Component, type ComponentChildren } from 'preact'
import { Button } from '../components/button.tsx'

type Props = { path: string; children: ComponentChildren }
type State = { error: unknown; path: string }

export class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined, path: this.props.path }

  static override getDerivedStateFromProps({ path }: Props, state: State): Partial<State> | null {
    return path === state.path ? null : { error: undefined, path }
  }

  override componentDidCatch(error: unknown): void {
    console.error(error)
    this.setState({ error })
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <div class="state state-failed" role="alert">
        <p>
          <strong>This page broke</strong>
        </p>
        <p>
          A new version may have been installed meanwhile: load it again. If it stays so, the
          browser’s console has the details for a report.
        </p>
        <Button onClick={() => window.location.reload()}>Load again</Button>
      </div>
    )
  }
}
