/** What a team writes down: keys and texts, most of them short. */
export const notes: Readonly<Record<string, string>> = {
  'ops/deploy':
    '# Deploying\n\nBuild the image, run the migrations, then switch the traffic with the blue-green script.',
  'ops/rollback': '# Rolling back a release\n\nSwitch the traffic to the old image. Migrations are never undone.',
  'ops/backups': '# Backups\n\nA dump of Postgres goes to the bucket every night at 02:00 and is kept for thirty days.',
  'ops/on-call': '# On call\n\nThe pager goes to whoever is on duty this week. Escalate after fifteen minutes.',
  'ops/sla': '# Availability\n\nWe promise customers 99.9 percent per month; the error budget is 43 minutes.',
  'ops/docker-size': '# Docker image size\n\nUse a multi-stage build and a slim base to make images smaller.',
  'ops/kubernetes':
    '# Cluster\n\nPods restart when the liveness probe fails three times. Limits are set in the Helm chart.',
  'ops/certificates': '# TLS certificates\n\nThey renew by themselves sixty days after they were issued.',
  'ops/dns': '# DNS\n\nRecords live in Terraform; changes take five minutes to spread.',
  'ops/logs': '# Logs\n\nShipped to Loki, kept for two weeks, one line of JSON per request.',
  'ops/cron': '# Scheduled jobs\n\nA job that returns -1 has lost its lock and is tried again after a minute.',
  'ops/exit-codes': '# Exit codes\n\nThe importer ends with exit status -1 when the file is empty.',
  'dev/setup': '# Setting up a laptop\n\nInstall Node and Docker, clone the repository, run npm ci.',
  'dev/tests': '# Running tests\n\nUnit tests take ten seconds. End-to-end tests need a browser.',
  'dev/review': '# Code review\n\nTwo approvals for migrations, one for everything else. Reviews within a day.',
  'dev/branches': '# Branches\n\nShort-lived, rebased on main, squashed when merged.',
  'dev/pagination': '# Paging bug\n\nThe last row was missing: an off by one error in the cursor.',
  'dev/quotes': '# Words on the wall\n\nTo be or not to be, that is the question of every feature flag.',
  'dev/translations':
    '# Internationalization\n\nStrings live in one file per language; missing ones fall back to English.',
  'dev/wcag': '# Accessibility\n\nEvery control has a label and is reachable by keyboard. Contrast is at least 4.5.',
  'dev/limits': '# Limits\n\nThe table held 1,250,000 rows when the query became slow.',
  'dev/versions': '# Version 18\n\nNode 18 is no longer supported; 11 of our packages had to change.',
  'security/login': '# Signing in\n\nMulti-factor authentication is required for staff; codes come from an app.',
  'security/secrets': '# Secrets\n\nKept in Vault, rotated every quarter, never written to a chat.',
  'security/auth': '# Auth service\n\nAudits every token it issues.',
  'security/incident': '# After an incident\n\nWrite down the timeline and the root cause within three days.',
  'office/kitchen': '# Kitchen\n\nThe coffee machine is cleaned on Fridays.',
  'office/parking': '# Parking\n\nSpots 4 to 9 are ours. Ask the reception for a key.',
  'office/rooms': '# Meeting rooms\n\nBook a room in the calendar; the large room holds twelve.',
  'office/printer': '# Printer\n\nThe print server is in the basement.',
  'people/vacation': '# Time off\n\nThirty days a year; ask your lead two weeks ahead.',
  'people/onboarding': '# First week\n\nA buddy shows newcomers around and pairs with them on a first change.',
  'people/travel': '# Travel\n\nTrains before planes. Keep receipts and send them within a month.',
  'billing/invoices': '# Invoices\n\nCustomers have thirty days to pay; a reminder follows after ten more.',
  'billing/refunds': '# Refunds\n\nUp to fourteen days after the purchase, no questions asked.',
  'recht/dsgvo': '# Datenschutzverordnung\n\nAnfragen werden innerhalb eines Monats beantwortet.',
  'recht/konto': '# Kontoeinstellungen\n\nSprache und Zeitzone lassen sich im Profil ändern.',
  'handbook/building':
    '# Building handbook\n\n' +
    Array.from({ length: 40 }, (_, at) => `Floor ${at + 1} has ${at + 3} desks, a quiet corner and plants.`).join(' ') +
    '\n\nThe key of the server room hangs in the safe; sign the list when you take it.\n\n' +
    Array.from({ length: 60 }, (_, at) => `Lamp ${at + 1} is replaced by the caretaker in spring.`).join(' '),
}

export const tasks: Readonly<Record<string, string>> = {
  'ACME-3': 'Write the release notes',
  'ACME-12': 'Repair the login redirect\nAfter signing in people land on a blank page.',
  'ACME-20': 'Move the archive to cheaper storage',
  'BOT-3': 'Answer greetings',
  'BOT-12': 'Answer greetings',
}
