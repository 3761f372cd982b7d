from __future__ import annotations

from vaultgit.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
