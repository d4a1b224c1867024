import './user-page.css'
import { pages } from '@hufu/contract/pages'
import { ChevronRight, Info } from 'lucide-react'
import { Link, useNavigate } from 'react-router'
import { useText } from '../../lib/text.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Card } from '../../ui/card.tsx'
import { Frame } from '../../ui/frame.tsx'
import { showToast } from '../../ui/toast.tsx'
import { DisplaySettings } from '../shell/display-settings.tsx'
import { nameOf, shownMobile } from './person.ts'
import { useLogout, useUser } from './profile.api.ts'

export default function UserPage() {
  const text = useText().user
  const { user } = useUser()
  if (!user) return null
  return (
    <Frame title={text.title}>
      <section className="card profile">
        <Avatar name={nameOf(user)} large />
        <div>
          <h2>{nameOf(user)}</h2>
          <p>{shownMobile(user)}</p>
        </div>
      </section>
      <DisplaySettings title={text.settings} />
      <Card rows>
        <Link className="row" to={pages.device}>
          <Info />
          <span>{text.device}</span>
          <ChevronRight className="go" />
        </Link>
      </Card>
      <LogoutCard />
    </Frame>
  )
}

function LogoutCard() {
  const text = useText().user
  const navigate = useNavigate()
  const leave = () => {
    showToast('good', text.loggedOut)
    void navigate(pages.home)
  }
  const { mutate, isPending } = useLogout(leave, ({ message }) => showToast('bad', message))
  const logOut = () => {
    // The next page is fetched meanwhile, so that this one isn't seen without its person.
    void import('../shell/home-page.tsx')
    mutate()
  }
  return (
    <Card rows>
      <button type="button" className="row alone" aria-busy={isPending} onClick={isPending ? undefined : logOut}>
        {text.logOut}
      </button>
    </Card>
  )
}
