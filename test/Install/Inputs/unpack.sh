# Unpacks all Debian packages of a folder and prints what they say of themselves:
# unpack.sh FOLDER ROOT
set -eu
for package in "$1"/*.deb; do
  dpkg-deb --field "$package" Package Version Section Depends Maintainer
  dpkg-deb -x "$package" "$2"
done
