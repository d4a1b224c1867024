import './profile-card.css'
import type { UserInfo } from '@hufu/contract/profile'
import { shownMobile } from '../../session/user.ts'
import { AvatarButton } from './avatar-button.tsx'
import { Nickname } from './nickname.tsx'

/** Who this is: the picture and the nickname are changed where they stand. */
export function ProfileCard({ user }: { user: UserInfo }) {
  return (
    <section className="card profile">
      <AvatarButton user={user} />
      <div className="profile-name">
        <Nickname user={user} />
        <p>{shownMobile(user)}</p>
      </div>
    </section>
  )
}
